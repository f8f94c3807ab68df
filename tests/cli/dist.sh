# A tarball is made of what git says is tracked, or not at all: in a clone where git fails there is none, old ones go.
command -v make >/dev/null && command -v pkg-config >/dev/null || skip "no make and pkg-config"
cp "$DATA/../../Makefile" "$DATA/../../VERSION" .
mkdir .git
touch "flexbody-$(cat VERSION).tar.gz"
GIT_DIR=$PWD/.git make -s dist >log 2>&1
echo "exit $?"
grep '^make dist' log
ls
# In an unpacked tarball the same bytes come out again, products stay outside.
rmdir .git
mkdir build && touch build/x && make -s dist && tar -tzf flexbody-*.tar.gz && cp flexbody-*.tar.gz first.gz && mv first.gz .. && make -s dist &&
    cmp flexbody-*.tar.gz ../first.gz && echo same
