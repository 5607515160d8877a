import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailOrUndefined } from './email.ts'

test('an e-mail address is stored in lower case and NFC', () => {
  for (const [text, stored] of [
    [' Ada@Example.ORG ', 'ada@example.org'],
    ["o'neil+wiki/a=b@mail.example.co.uk", "o'neil+wiki/a=b@mail.example.co.uk"],
    ['jos\u0065\u0301@b\u00fccher.example', 'jos\u00e9@b\u00fccher.example'],
    ['用户@例子.广告', '用户@例子.广告'],
    ['a@intranet', 'a@intranet'],
    ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@b.c`, `${'a'.repeat(64)}@b.c`],
  ] as const) {
    assert.equal(emailOrUndefined(text), stored, text)
  }
})

test('other forms of RFC 5322 than local part and domain are no address', () => {
  for (const text of [
    ...['', '@', 'a', 'a@', '@b.c', 'a@b@c', 'a b@c', 'a@b c', 'a@.b', 'a@b.', 'a@b..c', 'a@-b.c', 'a@b-.c', 'a@b_c'],
    ...['<a@b.c>', 'Ada <a@b.c>', 'a@b.c>', 'group:a@b.c', 'group:a@b.c;', 'a@b.c,d', 'a,b@c.d', 'a;b@c.d'],
    ...[
      'a@[127.0.0.1]',
      'a@[IPv6:::1]',
      'a@127.0.0.1',
      '"a b"@c.d',
      '"a"@c.d',
      'a(comment)@b.c',
      'a@b.c(comment)',
      'a\\@b.c',
    ],
    ...[
      'a\n@b.c',
      'a@b.c\r\nBcc:x@y.z',
      'a\u0000@b.c',
      'a\u200b@b.c',
      'a\u202e@b.c',
      'a@b\u00ad.c',
      'a\u3164@b.c',
      'a@b\u3164.c',
    ],
    ...[
      `${'a'.repeat(65)}@b.c`,
      `a@${'b'.repeat(64)}.c`,
      `a@${'b.'.repeat(130)}c`,
      'mailto:a@b.c',
      'a@b.c?subject=x',
      'a@b:25',
    ],
  ]) {
    assert.equal(emailOrUndefined(text), undefined, JSON.stringify(text))
  }
})
