import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJson, withSharedData } from '../../../test/support/shared-data.ts'
import { renderPage } from './page.ts'
import { sanitise } from './sanitise.ts'

interface Example {
  readonly markdown: string
  readonly html: string
  readonly example: number
}

const SCRIPT = 'script, style and textarea are shown as text, as in GFM, where CommonMark lets them act'
const HALF_TAG = 'a tag that never ends is shown as text; a browser would swallow what follows it'
const SCHEME = 'only http, https, mailto and tel links are links'
const FRONT_MATTER = 'a block between rules at the very start is front matter'
const EXTENDED = 'a bare address is a link in GFM, and in angle brackets with spaces it is bare'
const OLD_COMMENT = 'CommonMark 0.31 has HTML’s comments, GFM 0.29 an older notion of them'

/** Examples that intentionally render differently from their specification, by number, each with its reason. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'commonmark-0.31.2': {
    ...reasons(FRONT_MATTER, 96, 98),
    ...reasons(HALF_TAG, 156, 157, 158),
    ...reasons(SCRIPT, 172, 173, 174, 175, 178, 180),
    ...reasons(SCHEME, 598, 600, 601, 603),
    ...reasons(EXTENDED, 604, 610, 613, 614),
  },
  'gfm-0.29': {
    ...reasons(FRONT_MATTER, 66, 68),
    ...reasons(HALF_TAG, 126, 127, 128),
    ...reasons(SCRIPT, 140, 141, 142, 145, 147),
    ...reasons(SCHEME, 604, 606, 607, 609, 628),
    ...reasons(EXTENDED, 610, 616, 619, 620),
    ...reasons(OLD_COMMENT, 645, 646),
  },
  'gfm-extensions': {
    19: 'hosts beyond ASCII are written in punycode, as browsers do, not percent-encoded',
    20: 'the example asks for nothing but to survive it',
  },
  'cmark-regression': { 13: 'each reference to a footnote has an id and a way back of its own', 17: SCRIPT },
}

for (const [name, different] of Object.entries(DIFFERENT)) {
  test(`renders the examples of ${name}, except for the listed ones`, withSharedData, () => {
    const differing = readJson<Example[]>(`commonmark/${name}.json`)
      .filter(({ markdown, html }) => comparable(renderPage(markdown).html) !== comparable(html))
      .map(({ example }) => example)
    assert.deepEqual(differing, Object.keys(different).map(Number))
  })
}

function reasons(reason: string, ...examples: readonly number[]): Record<number, string> {
  return Object.fromEntries(examples.map((example) => [example, reason]))
}

/**
 * Normalises HTML for the comparison. Both sides are sanitised (elements, attributes, schemes); our additions are
 * removed: the anchor beside a heading and its id, the box around a table, colours of code, names for assistive
 * technology, `rel`, lazy loading and the classes of task lists; columns are aligned by attribute as in GFM; ids of
 * footnotes are written as cmark's; white space between tags and at the ends of lines does not count.
 */
function comparable(html: string): string {
  return sanitise(html, 'data-none')
    .html.replace(
      /<div class="heading">(<h[1-6]) id="[^"]*">([\s\S]*?<\/h[1-6]>)<a [^>]*class="anchor"[^>]*><\/a><\/div>/g,
      '$1>$2',
    )
    .replace(/<div class="table"[^>]*>(<table>[\s\S]*?<\/table>)<\/div>/g, '$1')
    .replace(/<\/?span(?: class="[^"]*")?>/g, '')
    .replace(/ (?:rel|loading|tabindex|aria-label|role)="[^"]*"/g, '')
    .replace(/ class="align-(\w+)"/g, ' align="$1"')
    .replace(/ class="(?:contains-task-list|task-list-item)"/g, '')
    .replace(/<input type="checkbox"( checked)? disabled \/>/g, '<input$1>')
    .replaceAll('user-content-', '')
    .replace(/"(#?)fn(ref)?:(\d+)/g, '"$1fn$2$3')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/>\s+</g, '><')
    .replace(/>\n/g, '>')
    .replace(/\n</g, '<')
    .trim()
}
