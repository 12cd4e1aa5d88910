#!/bin/sh
# Puts Biasprint, which runs from this folder, into the menu, and opens its files with it. Taken away: --remove
set -e
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
entry=$data/applications/biasprint.desktop
kinds=$data/mime/packages/biasprint-mime.xml
if [ "${1:-}" = --remove ]; then
    rm -f "$entry" "$kinds"
    echo "Biasprint is no longer in the menu. The folder itself can be deleted."
else
    mkdir -p "$(dirname "$entry")" "$(dirname "$kinds")"
    sed -e "s|^Exec=biasprint|Exec=\"$here/biasprint\"|" -e "s|^Icon=.*|Icon=$here/biasprint.svg|" "$here/biasprint.desktop" > "$entry"
    cp "$here/biasprint-mime.xml" "$kinds"
    echo "Biasprint is in the menu. If you move the folder, run this again."
fi
for each in "update-desktop-database $data/applications" "update-mime-database $data/mime"; do
    command -v "${each%% *}" >/dev/null && $each || true
done
