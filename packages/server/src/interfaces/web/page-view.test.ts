import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from '@recto/markdown/page.ts'
import { type PageView, pageDocument } from './page-view.ts'

const HOSTILE = `"><script>alert(1)</script>'`

function viewOf(body: string, changes: Partial<PageView> = {}): PageView {
  const { headings, html, title, isSource, tasks } = renderPage(body)
  return {
    space: { slug: 'docs', name: 'Documentation', visibility: 'org' },
    path: 'guide/start',
    title: title ?? 'start',
    version: 2,
    latestVersion: 2,
    note: null,
    updatedAt: new Date('2026-01-02T03:04:05Z'),
    updatedBy: { id: '1', name: 'Ada', kind: 'human' },
    headings,
    body: html,
    tasks: tasks.length,
    isSource,
    isVisitor: false,
    listsReaders: true,
    editable: false,
    ...changes,
  }
}

test('a body that starts with the title shows it once and labels the article', () => {
  const own = pageDocument(viewOf('# Start\n\ntext'))
  assert.equal(own.match(/<h1/g)?.length, 1)
  assert.match(own, /<article class="prose" aria-labelledby="user-content-start">/)
  const other = pageDocument(viewOf('---\ntitle: Start\n---\n## Other\n\ntext'))
  assert.match(other, /<article class="prose" aria-labelledby="page-title">\s*<h1 id="page-title"[^>]*>Start<\/h1>/)
})

test('a page with three headings besides its title has a table of contents', () => {
  assert.doesNotMatch(pageDocument(viewOf('# Start\n## a\n## b')), /class="contents/)
  const html = pageDocument(viewOf('# Start\n## a\n## b\n### c'))
  assert.match(html, /<nav class="contents[^"]*" aria-label="On this page">/)
  assert.match(html, /<a href="#user-content-c">c<\/a>/)
})

test('the head has the canonical URL, alternates and description', () => {
  const html = pageDocument(viewOf('text', { description: `About ${HOSTILE}` }))
  assert.match(html, /<link rel="canonical" href="\/pages\/docs\/guide\/start">/)
  assert.match(html, /<link rel="alternate" type="text\/markdown" href="\/pages\/docs\/guide\/start\.md">/)
  assert.match(html, /<link rel="alternate" type="application\/json" href="\/pages\/docs\/guide\/start">/)
  assert.match(html, /<meta name="description" content="About &quot;&gt;&lt;script/)
})

test('an old version says so and links to its own Markdown', () => {
  const html = pageDocument(viewOf('text', { version: 1 }))
  assert.match(html, /This is version 1 of 2\. <a href="\/pages\/docs\/guide\/start">Read the latest<\/a>/)
  assert.match(html, /<a href="\/pages\/docs\/guide\/start\.md\?version=1">Markdown<\/a>/)
  assert.match(html, /<a href="\/history\/docs\/guide\/start">History<\/a>/)
})

test('names are escaped, and there is no inline script or style', () => {
  const html = pageDocument(
    viewOf(`# ${HOSTILE}\n## a\n## b\n## c`, {
      space: { slug: 'docs', name: HOSTILE, visibility: 'org' },
      path: `a/${HOSTILE}`,
      title: HOSTILE,
      note: HOSTILE,
      updatedBy: { id: '1', name: HOSTILE, kind: 'agent' },
    }),
  )
  assert.doesNotMatch(
    html,
    /<script(?!(?: type="module")? src="\/assets\/[\w.]+"(?: fetchpriority="low")?><\/script>)|<style|\son\w+=|\sstyle=|javascript:/i,
  )
})

test('a long table of contents is truncated and says so', () => {
  const page = pageDocument(viewOf(`# Start\n\n${'## a\n'.repeat(1500)}`))
  assert.equal(page.match(/<li class="level-1">/g)?.length, 2 * 1000)
  assert.match(page, /<p class="quiet">500 more headings are not listed\.<\/p>/)
})
