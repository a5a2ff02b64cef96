#!/bin/sh
# VS Code as `code-server`, with the Node that it needs, from npm, into a folder. Its native parts are compiled: that takes a C++ compiler, python3 and the
# headers of Kerberos (Debian: apt-get install g++ make python3 libkrb5-dev). Prints the path of Node and of the server.
#   install_vscode.sh FOLDER
set -eu
folder=$1/vscode
version=4.139.1
node=$folder/node/node_modules/node/bin/node
server=$folder/server/node_modules/code-server/out/node/entry.js
if [ ! -f "$folder/complete" ]; then
  mkdir -p "$folder/node" "$folder/server"
  echo '{"private": true, "allowScripts": {"node": true}}' > "$folder/node/package.json"
  echo '{"private": true, "allowScripts": {"code-server": true}}' > "$folder/server/package.json"
  (cd "$folder/node" && npm install --silent --no-audit --no-fund node@24 playwright-core >&2)
  headers=$(dirname "$(find "$folder/node/node_modules" -path '*/include/node/node_version.h' | head -n 1)")
  PATH=$(dirname "$node"):$PATH npm_config_nodedir=$(dirname "$(dirname "$headers")")
  export PATH npm_config_nodedir
  (cd "$folder/server" && npm install --silent --no-audit --no-fund "code-server@$version" >&2)
  "$node" "$server" --version >&2
  : > "$folder/complete"
fi
echo "$node"
echo "$server"
