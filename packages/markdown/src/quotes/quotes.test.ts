import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHTML } from 'entities'
import { CORPORA, corporaMissing, corpusFiles } from '../../../../test/support/corpora.ts'
import { fc, rounds } from '../../../../test/support/property.ts'
import { MarkdownEngine } from '../engine/engine.ts'
import { renderPage } from '../page.ts'
import { findQuote, type Passage, toLineRanges } from './find-quote.ts'
import { findVisible } from './find-visible.ts'
import { movePlaces } from './move-places.ts'

const PARAGRAPHS = [
  '# Harbour rules',
  'Ships that arrive at night wait outside of the harbour until the pilot has come aboard.',
  'The fee is paid in advance. It is 40 crowns for each day, and the keeper writes a receipt for it.',
  'Whoever finds a lost anchor reports the place to the keeper.',
]
const PAGE = PARAGRAPHS.join('\n\n')

/** The place of a text, which may be written `before [text] after` where the text alone is not unique. */
function placeAt(body: string, marked: string) {
  const [, prefix = '', exact = '', suffix = ''] = /^(.*?)\[(.*)\](.*)$/s.exec(marked) ?? [marked, '', marked, '']
  const passages = findQuote(body, { exact, prefix, suffix })
  assert.equal(passages.length, 1, marked)
  return { ...(passages[0] as Passage), quote: { exact } }
}

function moveText(before: string, after: string, marked: string): string | null {
  const [passage] = movePlaces(before, after, [placeAt(before, marked)])
  return passage ? after.slice(passage.start, passage.end) : null
}

test('a quote is found as it is written, by what is directly before and after it', () => {
  const body = 'a *word* and a word, the word'
  assert.deepEqual(
    findQuote(body, { exact: 'word' }).map(({ start }) => start),
    [3, 15, 25],
  )
  assert.deepEqual(findQuote(body, { exact: 'word', prefix: 'a ' }), [{ start: 15, end: 19 }])
  assert.deepEqual(findQuote(body, { exact: '*word*', suffix: ' and' }), [{ start: 2, end: 8 }])
  assert.deepEqual(findQuote(body, { exact: 'Word' }), [])
  assert.deepEqual(findQuote(body, { exact: '' }), [])
  assert.equal(findQuote('aaaa', { exact: 'aa' }).length, 3)
  for (const exact of ['a', 'a word, too']) assert.equal(findQuote(exact.repeat(60), { exact }).length, 50)
})

test('lines are counted from 1, and a line break belongs to the line it ends', () => {
  const body = 'one\ntwo\nthree'
  assert.deepEqual(toLineRanges(body, [{ start: 0, end: 3 }]), [{ startLine: 1, endLine: 1 }])
  assert.deepEqual(toLineRanges(body, [{ start: 0, end: 4 }]), [{ startLine: 1, endLine: 1 }])
  assert.deepEqual(toLineRanges(body, [{ start: 3, end: 5 }]), [{ startLine: 1, endLine: 2 }])
  assert.deepEqual(toLineRanges(body, [{ start: 4, end: 13 }]), [{ startLine: 2, endLine: 3 }])
})

test('a place follows changes of other lines, of its line and of itself', () => {
  const added = PAGE.replace('The fee', 'New paragraph.\n\nThe fee')
  assert.equal(moveText(PAGE, added, '40 crowns'), '40 crowns')
  assert.equal(moveText(PAGE, PAGE.replace('is paid in advance', 'is due'), '40 crowns'), '40 crowns')
  assert.equal(moveText(PAGE, PAGE.replace('40', '55'), 'It is 40 crowns'), 'It is 55 crowns')
  assert.equal(moveText(PAGE, PAGE.replace('It is', 'That makes'), 'It is 40 crowns'), ' 40 crowns')
  assert.equal(moveText(PAGE, PAGE.replace('the keeper writes', 'he writes'), 'and the keeper writes'), 'and he writes')
  const rewritten = PAGE.replace(
    PARAGRAPHS[2] ?? '',
    'Officers demand money today. So the keeper writes a receipt for it',
  )
  assert.equal(moveText(PAGE, rewritten, 'the keeper writes a receipt for it'), 'the keeper writes a receipt for it')
  assert.equal(moveText(PAGE, PAGE.replace('is paid', 'was paid').replace('advance.', 'cash.'), '[in] adv'), 'in')
})

test('a place follows its paragraph to another one, and stays where the same words are added', () => {
  const [title, ships, fee, anchor] = PARAGRAPHS
  const moved = [title, fee, anchor, ships].join('\n\n')
  assert.equal(moveText(PAGE, moved, 'wait outside of the harbour'), 'wait outside of the harbour')
  const [place] = movePlaces(PAGE, moved, [placeAt(PAGE, 'until the [pilot] has come')])
  assert.equal(place && moved.slice(place.start - 4, place.end + 9), 'the pilot has come')
  const copied = `${ships}\n\n${PAGE}`
  assert.deepEqual(movePlaces(PAGE, copied, [placeAt(PAGE, 'pilot')]), [
    { start: copied.lastIndexOf('pilot'), end: copied.lastIndexOf('pilot') + 5 },
  ])
})

test('a place whose text is gone is outdated, whatever other places have its words', () => {
  const [title, ships, fee, anchor] = PARAGRAPHS
  assert.equal(moveText(PAGE, [title, fee, anchor].join('\n\n'), 'until [the] pilot'), null)
  assert.equal(moveText(PAGE, [title, ships, fee].join('\n\n'), 'reports [the place] to the keeper'), null)
  assert.equal(moveText(PAGE, [title, ships, anchor].join('\n\n'), 'and [the keeper] writes'), null)
  const rewritten = PAGE.replace(fee ?? '', 'Nobody pays, but the tide is the same for all.')
  assert.equal(moveText(PAGE, rewritten, 'and [the] keeper writes'), null)
  assert.equal(moveText(PAGE, '', 'pilot'), null)
  const twice = [
    title,
    ships,
    anchor,
    'Here: the keeper writes a receipt!',
    'There: the keeper writes a receipt!',
  ].join('\n\n')
  assert.equal(moveText(PAGE, twice, 'the keeper writes a receipt'), null)
  assert.equal(
    moveText(PAGE, PAGE.replace('crowns', `crowns ${'and more '.repeat(1000)}`), 'It is 40 crowns for each day'),
    null,
  )
  // An equal line that was there before is another one.
  const rows = '| certainly, yes, of course, always | no |\n'
  const table = `${rows}| all | harbours |\n${rows}`
  assert.equal(
    movePlaces(table, table.slice(rows.length), [{ ...placeAt(rows, 'course'), quote: { exact: 'course' } }])[0],
    null,
  )
})

test('the quote decides where the place has other words by now', () => {
  const place = { ...placeAt(PAGE, '40 crowns for each day'), quote: { exact: 'forty crowns every single day' } }
  const after = 'Other words, all of them.\n\nPay forty crowns every single day.'
  assert.deepEqual(
    movePlaces(PAGE, after, [place]),
    [placeAt(after, 'forty crowns every single day')].map(({ start, end }) => ({ start, end })),
  )
})

/** A document of characters that know where they came from: the truth of every edit. */
interface Character {
  readonly character: string
  readonly id: number
}

const documentOf = (text: string, from = 0): Character[] =>
  [...text].map((character, index) => ({ character, id: from + index }))
const textOf = (characters: readonly Character[]) => characters.map(({ character }) => character).join('')

interface Words {
  next: number
}

/** Words that occur once, with common ones between them. */
function makeParagraph(words: Words, size: number, lineLength: number): string {
  const parts = Array.from({ length: size }, (_, index) => {
    const word = index % 4 === 3 ? 'the' : `w${(words.next++).toString(36).padStart(4, 'x')}`
    return word + ((index + 1) % lineLength === 0 && index + 1 < size ? '\n' : ' ')
  })
  return parts.join('').trim()
}

const edit = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'move'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true }),
  size: fc.integer({ min: 1, max: 12 }),
})

/** Applies an edit at the boundaries of words, or of paragraphs for a move. */
function applyEdit(
  body: readonly Character[],
  { kind, at, to, size }: typeof edit extends fc.Arbitrary<infer T> ? T : never,
  words: Words,
): Character[] {
  const text = textOf(body)
  const newText = (count: number) => documentOf(makeParagraph(words, count, 6), -1_000_000)
  if (kind === 'move') {
    const paragraphs: Character[][] = [[]]
    for (let index = 0; index < body.length; index++) {
      paragraphs.at(-1)?.push(body[index] as Character)
      if (text.startsWith('\n\n', index - 1)) paragraphs.push([])
    }
    // A last one without line breaks would be glued to another one.
    if (paragraphs.at(-1)?.length) return [...body]
    paragraphs.pop()
    const [paragraph] = paragraphs.splice(Math.floor(at * paragraphs.length * 0.999), 1)
    paragraphs.splice(Math.floor(to * paragraphs.length), 0, paragraph ?? [])
    return paragraphs.flat()
  }
  const starts = [...text.matchAll(/\S+/g)].map(({ index }) => index)
  if (starts.length === 0) return [...body]
  const first = Math.floor(at * starts.length * 0.999)
  const [start, end] = [
    starts[first] ?? 0,
    kind === 'insert' ? (starts[first] ?? 0) : (starts[first + size] ?? text.length),
  ]
  const added = kind === 'delete' ? [] : [...newText(size), { character: ' ', id: -1 }]
  return [...body.slice(0, start), ...added, ...body.slice(end)]
}

const ink = (text: string) => text.replace(/\s+/g, '')

test('places follow random edits as the edits themselves do', () => {
  let [exactCount, count] = [0, 0]
  const documents = fc.record({
    paragraphs: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
    lineLength: fc.constantFrom(5, 1000),
    places: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 60 })), {
      minLength: 1,
      maxLength: 5,
    }),
    edits: fc.array(edit, { minLength: 1, maxLength: 4 }),
  })
  fc.assert(
    fc.property(documents, ({ paragraphs, lineLength, places, edits }) => {
      const words = { next: 0 }
      const before = paragraphs.map((size) => `${makeParagraph(words, size, lineLength)}\n\n`).join('')
      const quoted = places.map(([at, length]) => {
        const start = Math.floor(at * (before.length - 1))
        const end = Math.min(before.length, start + length)
        return { start, end, quote: { exact: before.slice(start, end) } }
      })
      assert.deepEqual(
        movePlaces(before, before, quoted),
        quoted.map(({ start, end }) => ({ start, end })),
      )
      const characters = edits.reduce((body, one) => applyEdit(body, one, words), documentOf(before))
      const after = textOf(characters)
      const positions = new Map(characters.map(({ id }, index) => [id, index]))
      for (const [index, passage] of movePlaces(before, after, quoted).entries()) {
        const { start, end, quote } = quoted[index] as (typeof quoted)[number]
        if (ink(quote.exact) === '') continue
        const truth = Array.from({ length: end - start }, (_, offset) => positions.get(start + offset))
        const isUntouched = truth.every(
          (position, offset) => position !== undefined && position === (truth[0] ?? 0) + offset,
        )
        count++
        if (!passage) {
          // One edit beside a passage leaves its other side.
          assert.ok(
            !isUntouched || edits.length > 1 || edits[0]?.kind === 'move',
            `lost ${JSON.stringify(quote.exact)}`,
          )
          continue
        }
        assert.ok(passage.start >= 0 && passage.start < passage.end && passage.end <= after.length)
        if (isUntouched) {
          assert.equal(passage.start, truth[0], JSON.stringify({ before, after, quote }))
          assert.equal(passage.end, (truth[0] ?? 0) + end - start)
          exactCount++
        } else if (after.slice(passage.start, passage.end) !== quote.exact) {
          const text = after.slice(passage.start, passage.end)
          const keptInk = ink(
            quote.exact
              .split(/\s+/)
              .filter((word) => text.includes(word))
              .join(''),
          )
          assert.ok(2 * keptInk.length >= ink(quote.exact).length, JSON.stringify({ before, after, quote, passage }))
        }
        // What was deleted wholly is nowhere.
        if (truth.every((position) => position === undefined))
          assert.fail(`jumped: ${JSON.stringify({ before, after, quote, passage })}`)
      }
    }),
    { numRuns: rounds(300) },
  )
  assert.ok(exactCount > 0.3 * count, `${exactCount} of ${count}`)
})

test('an engine moves places of short bodies itself, and of long ones in a worker', async () => {
  await using markdown = new MarkdownEngine()
  for (const body of [PAGE, `${PAGE}\n\n${'A line of a long page.\n'.repeat(2000)}`]) {
    const after = `New first line.\n\n${body}`
    const places = [placeAt(body, '40 crowns')]
    assert.deepEqual(await markdown.movePlaces(body, after, places), movePlaces(body, after, places))
    const selection = { text: 'paid in advance', before: '', after: '' }
    assert.deepEqual(await markdown.findVisible(body, selection), findVisible(body, selection))
    assert.deepEqual(await markdown.findQuote(body, { exact: '40 crowns' }), findQuote(body, { exact: '40 crowns' }))
    assert.deepEqual(await markdown.toLineRanges(body, places), toLineRanges(body, places))
  }
})

const select = (body: string, text: string, before = '', after = '') => {
  const passage = findVisible(body, { text, before, after })
  return passage && body.slice(passage.start, passage.end)
}

test('a selection on the page is found in the source, with the marks within it', () => {
  const body = [
    '---\ntitle: Ships\n---\n# Ships *and* boats\n',
    '- [x] Pay the [fee](https://example.com/fee_(new)) to `the <b>keeper</b>` of &szlig; & co.\n  1. second _item_\n',
    '> [!NOTE]\n> wrapped\n> line, see [the rules][rules] and ![a map](map.png)more[^1]\n',
    '| a | b |\n|---|---|\n| c \\| d | <em>e</em> |\n\n<!-- hidden words -->\n~~~js\nconst link = [a](b)\n~~~\n',
    '[rules]: ./rules "Rules"\n\n[^1]: A footnote.\n',
  ].join('\n')
  assert.equal(select(body, 'Ships and boats'), 'Ships *and* boats')
  assert.equal(select(body, 'the fee to'), 'the [fee](https://example.com/fee_(new)) to')
  assert.equal(select(body, 'the <b>keeper</b> of ß & co.'), 'the <b>keeper</b>` of &szlig; & co.')
  assert.equal(select(body, 'ß'), '&szlig;')
  assert.equal(select(body, 'co.\nsecond item'), 'co.\n  1. second _item')
  assert.equal(select(body, 'Note\nwrapped line'), 'NOTE]\n> wrapped\n> line')
  assert.equal(select(body, 'the rules and more1'), 'the rules][rules] and ![a map](map.png)more[^1]')
  assert.equal(select(body, 'c | d\te'), 'c \\| d | <em>e')
  assert.equal(select(body, 'const link = [a](b)'), 'const link = [a](b)')
  for (const text of ['title', 'hidden words', 'example', 'map', '', ' \n', '...'])
    assert.equal(select(body, text), null, text)
})

test('of several equal texts that one is found that has what is around the selection', () => {
  const body = 'The *first* word.\n\nThe **second** word.\n\nThe third word.'
  const passage = findVisible(body, { text: 'word', before: 'word.\n\nThe second ', after: '.\n\nThe third' })
  assert.equal(passage?.start, body.indexOf('word', 20))
  assert.equal(select(body, 'word', 'x third ', ''), 'word')
  assert.equal(findVisible(body, { text: 'word', before: 'x third ', after: '' })?.start, body.lastIndexOf('word'))
})

/** The texts of a page as a browser shows them, without alternative texts. */
function visibleText(html: string): string {
  const blocks = html.split(/<\/?(?:p|div|h\d|li|ul|ol|table|t\w+|pre|blockquote|section|br|hr)\b[^>]*>/)
  return blocks.map((block) => decodeHTML(block.replace(/<[^>]*>/g, ''))).join('\n')
}

test('selections of the pages of two corpora are found in their source', { skip: corporaMissing }, () => {
  let [count, exactCount] = [0, 0]
  const missing: string[] = []
  const files = CORPORA.flatMap((corpus) => [...corpusFiles(corpus)]).filter((_, index) => index % 40 === 0)
  const cuts = fc.sample(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 20 })), files.length * 5)
  for (const [index, [path, file]] of files.entries()) {
    const body = file.toString()
    const words = visibleText(renderPage(body).html).split(/(\s+)/)
    for (const [seed, length] of cuts.slice(index * 5, index * 5 + 5)) {
      const from = 2 * (seed % Math.ceil(words.length / 2))
      const [before, text, after] = [
        words.slice(0, from),
        words.slice(from, from + 2 * length - 1),
        words.slice(from + 2 * length - 1),
      ].map((part) => part.join(''))
      const letters = text?.match(/[\p{L}\p{N}]+/gu) ?? []
      if (letters.length === 0) continue
      const source = select(body, text ?? '', before?.slice(-64), after?.slice(0, 64))
      const withoutMarks =
        source &&
        decodeHTML(source)
          .replace(/<[^>]*>|[`*_\\]/g, '')
          .toLowerCase()
      count++
      if (withoutMarks && letters.every((word) => withoutMarks.includes(word.toLowerCase()) || /^\d+$/.test(word)))
        exactCount++
      else missing.push(`${path}: ${text} => ${source}`)
    }
  }
  assert.ok(count > 100 && exactCount >= 0.98 * count, `${exactCount} of ${count}\n${missing.slice(0, 20).join('\n')}`)
})
