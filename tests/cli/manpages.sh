# The manual pages are sound: no error, and no warning but the missing date (pages carry no date).
command -v mandoc >/dev/null || skip "no mandoc"
mandoc -W warning -T lint "$MAN"/*.[157] | grep -E 'WARNING|ERROR' | grep -v 'missing date'
exit 0
