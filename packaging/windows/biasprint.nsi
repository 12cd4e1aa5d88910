; The installer for Windows: makensis -DVERSION=1.0.0 -DFOLDER=dist\biasprint -DOUT=dist\biasprint-setup.exe packaging\windows\biasprint.nsi
; Installs for the one who starts it, asks for no administrator, and takes away all that it brought.
Unicode true
!include MUI2.nsh
Name "Biasprint ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Biasprint"
InstallDirRegKey HKCU "Software\Biasprint" "Folder"
RequestExecutionLevel user
; Not solid: that would have a computer lay all of it, 1.3 GB, aside before the first file is there. Of the light folder
; lzma makes 280 MB in seven minutes of a processor, where gzip makes 338.
SetCompressor lzma
!define GONE "Software\Microsoft\Windows\CurrentVersion\Uninstall\Biasprint"

!insertmacro MUI_PAGE_LICENSE "${FOLDER}/LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

!macro Opens ending kind title
  WriteRegStr HKCU "Software\Classes\${ending}" "" "${kind}"
  WriteRegStr HKCU "Software\Classes\${kind}" "" "${title}"
  WriteRegStr HKCU "Software\Classes\${kind}\DefaultIcon" "" "$INSTDIR\biasprint.exe,0"
  WriteRegStr HKCU "Software\Classes\${kind}\shell\open\command" "" '"$INSTDIR\biasprint.exe" "%1"'
!macroend

Section "Biasprint"
  RMDir /r "$INSTDIR\_internal" ; of an older version, whose modules would be found too
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*.*"
  WriteRegStr HKCU "Software\Biasprint" "Folder" "$INSTDIR"
  CreateShortcut "$SMPROGRAMS\Biasprint.lnk" "$INSTDIR\biasprint.exe"
  !insertmacro Opens ".biasprint" "Biasprint.Project" "Biasprint project"
  !insertmacro Opens ".bpacket" "Biasprint.Packet" "Biasprint packet to rate"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "${GONE}" "DisplayName" "Biasprint"
  WriteRegStr HKCU "${GONE}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${GONE}" "DisplayIcon" "$INSTDIR\biasprint.exe"
  WriteRegStr HKCU "${GONE}" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

Section "Uninstall"
  ; Only what was brought: projects and the data folder stay.
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\biasprint.exe"
  Delete "$INSTDIR\LICENSE"
  Delete "$INSTDIR\LICENCES.txt"
  Delete "$INSTDIR\bill-of-materials.cdx.json"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Biasprint.lnk"
  DeleteRegKey HKCU "Software\Classes\.biasprint"
  DeleteRegKey HKCU "Software\Classes\.bpacket"
  DeleteRegKey HKCU "Software\Classes\Biasprint.Project"
  DeleteRegKey HKCU "Software\Classes\Biasprint.Packet"
  DeleteRegKey HKCU "Software\Biasprint"
  DeleteRegKey HKCU "${GONE}"
SectionEnd
