import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { invitationMail, nameInMail } from './mail-texts.ts'

const LINK = /:\/\/|[^\s.]\.[^\s.]|[\p{Cc}\p{Bidi_C}\p{Zl}\p{Zp}\r\n]/u

test('a name in a mail is short, of one line, and holds nothing that becomes a link', () => {
  for (const [name, shown] of [
    ['Ada Lovelace', 'Ada Lovelace'],
    ['Dr. Grace B. M. Hopper', 'Dr. Grace B. M. Hopper'],
    ['Win https://evil.example/x', 'Win https evil. example/x'],
    ['www.evil.example', 'www. evil. example'],
    ['evil．example evil。example evil․example', 'evil. example evil。 example evil. example'],
    ['Ada\r\nBcc: all@x.y', 'Ada Bcc: all@x. y'],
    ['A\u2028B\u202eC', 'A BC'],
    ['می‌خواهم 👩‍💻', 'می‌خواهم 👩‍💻'],
    [' \u200b ', 'Somebody'],
    ['x'.repeat(200), `${'x'.repeat(60)}…`],
  ] as const) {
    assert.equal(nameInMail(name), shown)
  }
  const parts = fc.constantFrom('http', '://', '.', 'evil', 'example', '/', '\n', '。', '．', '\u202e', ' ', '@', '😀')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), (texts) => {
      const shown = nameInMail(texts.join(''))
      assert.ok([...shown].length <= 61 && shown !== '')
      assert.doesNotMatch(shown, LINK)
    }),
  )
})

test('an invitation into many spaces names the first of them', () => {
  const spaces = Array.from({ length: 20 }, (_, n) => ({
    id: n,
    slug: `s${n}`,
    name: `Space ${n}\nhttps://evil.example`,
    role: 'editor' as const,
    folder: null,
  }))
  const by = { id: '', name: 'Eve\n\nhttps://evil.example', kind: 'human' as const }
  const { subject, text } = invitationMail(
    { email: 'a@b.c', invited_by: by, spaces, expires_at: new Date(0) },
    'https://wiki.example/i',
  )
  assert.equal(subject, 'Eve https evil. example invites you to Recto')
  assert.match(
    text,
    /^Eve https evil\. example invites .* in Space 0 .*, Space 1 .*, Space 2 https evil\. example and 17 more\.\n/,
  )
  assert.deepEqual(text.match(/https:\/\/\S+/g), ['https://wiki.example/i'])
})
