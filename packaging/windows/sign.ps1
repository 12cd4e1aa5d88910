# Signs the programs in dist with the certificate in CERTIFICATE (base64) and its PASSWORD; says so where there is none.
if (-not $env:CERTIFICATE) {
    Write-Output "::warning::Not signed: WINDOWS_CERTIFICATE is not set."
    exit 0
}
$file = Join-Path $env:RUNNER_TEMP certificate.pfx
[IO.File]::WriteAllBytes($file, [Convert]::FromBase64String($env:CERTIFICATE))
$kits = "${env:ProgramFiles(x86)}\Windows Kits\10\bin\*\x64\signtool.exe"
$signtool = (Get-ChildItem $kits | Select-Object -Last 1).FullName
try {
    foreach ($each in Get-ChildItem dist\*.exe, dist\*\*.exe) {
        & $signtool sign /f $file /p $env:PASSWORD /fd sha256 /tr http://timestamp.digicert.com /td sha256 $each.FullName
        if ($LASTEXITCODE) { exit $LASTEXITCODE }
    }
} finally {
    Remove-Item $file
}
