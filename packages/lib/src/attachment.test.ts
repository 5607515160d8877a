import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentMarkdown, attachmentNames, linkText, markdownTarget } from './attachment.ts'

const nameOf = (page: string, name: string, type: string, taken: readonly string[] = []) =>
  attachmentNames(page, { name, type }).pick((each) => taken.includes(each))

test('images are named after their page, with the first unused number', () => {
  assert.equal(nameOf('guide/setup', 'image.png', 'image/png'), 'setup-1.png')
  assert.equal(nameOf('setup', 'A.JPEG', 'image/jpeg', ['setup-1.jpeg', 'setup-3.jpeg']), 'setup-2.jpeg')
  assert.equal(nameOf('über uns', '', 'image/jpeg'), 'über uns-1.jpg')
  assert.equal(nameOf('a', 'x', 'image/svg+xml'), 'a-1.svg')
})

test('other files keep their names, with a number if the name exists', () => {
  assert.equal(nameOf('guide/setup', 'Report 1.pdf', 'application/pdf'), 'Report 1.pdf')
  assert.equal(nameOf('a', 'r.pdf', '', ['r.pdf', 'r-2.pdf']), 'r-3.pdf')
  assert.equal(nameOf('a', 'C:\\fake\\r.tar.gz', ''), 'r.tar.gz')
  assert.equal(nameOf('a', '../..', ''), 'file')
  assert.equal(nameOf('a', ' b\u0000\u2028c ', ''), 'b c')
})

test('a name is at most 255 bytes long', () => {
  for (const [page, name, type] of [
    ['ü'.repeat(127), 'x.png', 'image/png'],
    ['a', `${'😀'.repeat(2000)}.pdf`, ''],
    ['a', `a.${'ü'.repeat(2000)}`, ''],
  ] as const) {
    const bytes = Buffer.byteLength(nameOf(page, name, type))
    assert.ok(bytes <= 255 && bytes > 200, `${bytes}`)
  }
})

test('images, sound and video are shown, other files linked', () => {
  const markdown = (contentType: string) => attachmentMarkdown({ contentType, name: 'a [b]_*c*.x', target: './a' })
  assert.equal(markdown('image/png'), '![](./a)')
  assert.equal(markdown('video/mp4'), '![](./a)')
  assert.equal(markdown('image/heic'), '[a \\[b\\]_\\*c\\*.x](./a)')
  assert.equal(markdown('application/pdf'), '[a \\[b\\]_\\*c\\*.x](./a)')
  assert.equal(linkText('a\nb <i>&amp;'), 'a b \\<i\\>\\&amp;')
})

test('characters with a meaning in Markdown or URLs are percent-encoded in a target', () => {
  assert.equal(markdownTarget('./a b(1)%20[x]#?&.png'), './a%20b%281%29%2520%5Bx%5D%23%3F%26.png')
  assert.equal(markdownTarget('./Über_uns-1.png'), './Über_uns-1.png')
})
