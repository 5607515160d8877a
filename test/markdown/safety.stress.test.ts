import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from '@recto/markdown/page.ts'
import { sanitise } from '@recto/markdown/sanitise.ts'
import { assertHarmless } from '../support/html-audit.ts'
import { readJson, withSharedData } from '../support/shared-data.ts'

interface MarkdownCases {
  readonly cases: readonly { readonly markdown: string; readonly html: string }[]
}
interface Payloads {
  readonly lists: readonly { readonly file: string; readonly vectors: readonly string[] }[]
}

/** Ways in which a payload gets into a body. */
const FRAMES: readonly ((payload: string) => string)[] = [
  (payload) => payload,
  (payload) => `text ${payload} text`,
  (payload) => `<div>\n${payload}\n</div>`,
  (payload) => `<a href="${payload}">a</a> <img src="${payload}" alt="${payload}" title='${payload}'>`,
  (payload) => `<a href='${payload}'>a</a> <a href=${payload}>a</a> <b ${payload}>b</b> <p ${payload}=1>`,
  (payload) => `[a](${payload}) ![a](${payload}) [a](<${payload}> "${payload}") <${payload}>`,
  (payload) => `[a]\n\n[a]: ${payload} '${payload}'\n\n| ${payload} |\n| --- |\n| ${payload} |`,
  (payload) => `# ${payload}\n\n- [x] ${payload}\n\n> [!NOTE]\n> ${payload}`,
  (payload) => `\`\`\`${payload}\n${payload}\n\`\`\`\n\n\`\`\`html\n${payload}\n\`\`\`\n\n\`${payload}\``,
  (payload) => `<pre>${payload}</pre>\n\n<svg>${payload}</svg>\n\n<math>${payload}</math>\n\n<style>${payload}`,
  (payload) => `<!-- ${payload} --> [^1]\n\n[^1]: ${payload}\n\n<noscript>${payload}</noscript>`,
]

test('no payload of the lists is executed, anywhere in a body', withSharedData, () => {
  const { lists } = readJson<Payloads>('xss/payloadsallthethings-intruders.json')
  let rendered = 0
  for (const { file, vectors } of lists) {
    for (const vector of vectors) {
      for (const frame of FRAMES) {
        assertHarmless(renderPage(frame(vector)).html, `${file}: ${vector}`)
        rendered++
      }
    }
  }
  assert.ok(rendered > 10_000, `only ${rendered} payloads`)
})

test('the cases of markdown-it have no script URL, and keep their valid links', withSharedData, () => {
  for (const { markdown, html } of readJson<MarkdownCases>('xss/markdown-it-xss.json').cases) {
    const rendered = renderPage(markdown).html
    assertHarmless(rendered, markdown)
    for (const [link] of html.matchAll(/>normal link<\/a>/g)) assert.ok(rendered.includes(link), markdown)
  }
})

test('scripts, styles and forms are removed, and their text is shown as text', () => {
  const { html } = renderPage(
    '<script>alert(1)</script>\n\n<form action=/x><button>send</button></form> <input value=1>',
  )
  assert.equal(html, '&lt;script&gt;alert(1)&lt;/script&gt;\nsend ')
})

test('an unclosed element does not affect the rest of the screen', () => {
  for (const name of ['textarea', 'script', 'title', 'xmp', 'plaintext', 'iframe', 'noembed', 'select', 'option']) {
    assert.match(renderPage(`an <${name}> here\n\nand *this*`).html, /<p>and <em>this<\/em><\/p>/, name)
  }
  assert.match(renderPage('<div><!-- never closed\n\nand *this*').html, /<em>this<\/em>/)
  assert.match(renderPage('<div title="never closed\n\nand *this*').html, /<em>this<\/em>/)
})

test('ids and names of a body are prefixed, so that they cannot collide with those of the screen', () => {
  const { html } = renderPage('<a id="toc" name="location"></a> <b id=user-content-x>x</b>')
  assert.match(html, /<a id="user-content-toc" name="user-content-location"><\/a> <b id="user-content-x">/)
})

test('inputs are removed, except for disabled checkboxes', () => {
  const { html } = renderPage('<input type=checkbox checked onclick=x name=y autofocus> <input type=text> <input>')
  assert.equal(html, '<p><input type="checkbox" checked disabled />  </p>\n')
})

test('links to other hosts are noreferrer and nofollow', () => {
  const { html } = renderPage(
    '[a](https://x.example) [b](//x.example) <a href="\\\\x.example" rel=opener>c</a> [d](/e)',
  )
  assert.equal(html.match(/ rel="nofollow noopener noreferrer"/g)?.length, 3)
  assert.doesNotMatch(html, /opener"[^>]*>d/)
})

test('a body cannot forge the marker that numbers links', () => {
  const { html, anchors } = sanitise('<a data-known="7" href="/x">x</a><a data-other="8" href="/y">y</a>', 'data-known')
  assert.equal(html, '<a href="/x">x</a><a href="/y">y</a>')
  assert.deepEqual(anchors, [{ offset: 2, link: 7 }])
  const forged = renderPage('[a](./a) <a data-0="0" data-link="0" href="./b">b</a>')
  assert.deepEqual(
    forged.anchors.map(({ link }) => link),
    [0, 1],
  )
})
