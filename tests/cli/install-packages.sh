# install-packages before an apt-get that knows few packages: what is there, what the suite has not, what must be there,
# and a system without apt-get. The tree is not touched: a copy stands beside a packages.txt of its own.
cp "$DATA/../../install-packages" .
cat >packages.txt <<'P'
[build]
there
old | new
[bench]
newer-one
gone | lost
[needs]
P
printf 'PRETTY_NAME="Some Linux 7"\n' >os-release
export OS_RELEASE=os-release
mkdir bin bare
for p in sh awk sed grep tr cat dirname echo; do ln -s "$(command -v $p)" bare/$p; done
cat >bin/dpkg-query <<'P'
#!/bin/sh
for p; do :; done
case $p in there) echo 'install ok installed' ;; *) exit 1 ;; esac
P
cat >bin/apt-get <<'P'
#!/bin/sh
for p; do :; done
case "$1 $2" in
update*) echo update ;;
"install -s") shift 3 && for p; do case $p in new|newer-one) ;; *) exit 100 ;; esac; done ;;
*) shift 4 && echo "installs $*" ;;
esac
P
chmod +x bin/*
PATH=$PWD/bin:$PATH
sh install-packages build bench 2>&1
sh install-packages needs 2>&1
sed -i 's/^old.*/gone | lost/' packages.txt
sh install-packages build 2>&1
echo "exit $?"
sed -i '/^gone/d' packages.txt
sh install-packages build && echo "nothing to do"
PATH=$PWD/bare sh install-packages build 2>&1 | cut -c1-60
