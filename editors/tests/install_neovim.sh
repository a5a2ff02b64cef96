#!/bin/sh
# Neovim 0.10 or later, for the tests: the one on the path if it is new enough, else that of Debian 13, unpacked into a folder and run with its own
# loader, so that nothing of the system changes. Prints the command.
#   install_neovim.sh FOLDER
set -eu
for nvim in "${NVIM_FOR_TESTS:-}" nvim; do
  if [ -n "$nvim" ] && "$nvim" --headless -u NONE -c 'lua if vim.fn.has("nvim-0.10") == 1 then io.write("new") end' +qa 2>&1 | grep -q new; then
    command -v "$nvim"
    exit
  fi
done
folder=$1/neovim
run=$folder/nvim
if [ ! -x "$run" ]; then
  command -v apt-get > /dev/null && command -v dpkg > /dev/null || { echo "there is no Neovim 0.10 on the path, and no apt-get to fetch one" >&2; exit 1; }
  mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/root"
  : > "$folder/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main" > "$folder/sources.list"
  apt() {
    apt-get -qq -o Dir::State="$folder/state" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" -o Debug::NoLocking=1 \
      -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User="$(id -un)" "$@"
  }
  apt update >&2
  apt install -y --no-install-recommends --download-only neovim >&2
  for package in "$folder"/cache/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
  rm -rf "$folder/cache" "$folder/state"
  libraries=$(dirname "$(find "$folder/root/usr/lib" -name 'libluajit-5.1.so.2' | head -n 1)")
  loader=$(find "$folder/root/usr/lib" "$folder/root/usr/lib64" -name 'ld-linux-*' 2> /dev/null | head -n 1)
  cat > "$run" << END
#!/bin/sh
export VIMRUNTIME="$folder/root/usr/share/nvim/runtime" LUA_CPATH="$libraries/lua/5.1/?.so;;"
exec "$loader" --library-path "$libraries" "$folder/root/usr/bin/nvim" "\$@"
END
  chmod +x "$run"
fi
"$run" --version > /dev/null
echo "$run"
