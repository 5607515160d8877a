import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutIds } from '@recto/markdown/diff/block-diff.ts'
import { hideExternalImages } from '@recto/markdown/external-images.ts'
import { renderPage } from '@recto/markdown/page.ts'
import { inLanguage } from '../../../platform/language/t.ts'
import { translateBody } from './translate-body.ts'

const MARKDOWN = `# A "b" & c

##

> [!NOTE]
> Note

| Table |
| --- |

- [ ] Done
- [x] Not done

One[^1][^1] ![Cat](https://x.example/c.png) ![](https://x.example/d.png)

<b title="Table" aria-label="Table">Footnote 1</b> [Link to b](https://x.example/)

[^1]: Footnotes
`

test('what the renderer says in a body is in the language of the person, and what people wrote stays', () => {
  const body = hideExternalImages(renderPage(MARKDOWN).html, 'https://recto.example')
  for (const html of [body, withoutIds(body)]) {
    const translatedBody = inLanguage('en-XA', () => translateBody(html))
    assert.deepEqual(translatedBody.match(/⟦[^⟧]*⟧/g), [
      '⟦Líínk tóó A &quot;b&quot; &amp; c⟧',
      '⟦Líínk tóó thíís sééctííóón⟧',
      '⟦Nóótéé⟧',
      '⟦Táábléé⟧',
      '⟦Nóót dóónéé⟧',
      '⟦Dóónéé⟧',
      '⟦Fóóóótnóótéé 1⟧',
      '⟦Fóóóótnóótéé 1⟧',
      '⟦Cat (íímáágéé fróóm x.example)⟧',
      '⟦Imáágéé fróóm x.example⟧',
      '⟦Fóóóótnóótéés⟧',
      '⟦Bááck tóó rééféérééncéé 1⟧',
      '⟦Bááck tóó rééféérééncéé 1-2⟧',
    ])
  }
})

test('a body in English stays as it is', () => {
  const { html } = renderPage(MARKDOWN)
  assert.equal(translateBody(html), html)
})
