import { isSingleLine } from '@recto/lib/text/single-line.ts'
import { fc } from '../support/property.ts'

export interface Revision {
  readonly version: number
  readonly body?: string
  readonly note: string | null
  readonly createdAt: string
  readonly createdBy: { readonly name: string; readonly kind: string }
  readonly restoredFrom: number | null
}

export interface Page {
  readonly path: string
  readonly body: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly revisions?: readonly Revision[]
}

const segment = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
    fc.constantFrom(
      'a',
      'b',
      'C:',
      'x.mdx',
      'x.metadata',
      'aux',
      '%41',
      'a%',
      'q?',
      '"<|>*',
      'dot.',
      'links',
      '..x',
      '日本',
    ),
  )
  .map((text) => text.normalize('NFC'))
  .filter(
    (text) =>
      isSingleLine(text) &&
      !text.endsWith('.md') &&
      text !== '' &&
      text !== '.' &&
      text !== '..' &&
      text === text.trim(),
  )
  .filter((text) => text.isWellFormed() && !/[\p{Cc}\u2028\u2029/\\]/u.test(text) && Buffer.byteLength(text) <= 60)
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'))
export const body = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constantFrom('# T\n\n[x](./a.md)', '', '---\ntitle: x\n---\n\r\n'),
  )
  .map((text) => text.toWellFormed().replaceAll('\0', ''))
const value = fc.oneof(
  fc.string().map((text) => text.toWellFormed().replaceAll('\0', '')),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.constant({ a: { b: [1, null, 'x'] } }),
)
const key = fc.oneof(fc.stringMatching(/^[a-z-]{1,10}$/), fc.constantFrom('__proto__', 'constructor', 'ä ö'))
export const metadata = fc
  .array(fc.tuple(key, value), { minLength: 1, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries))
const time = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const author = fc.record(
  { name: fc.constantFrom('Ada', 'Grace', 'Admin', 'a (imported)'), kind: fc.constantFrom('human', 'agent') },
  { noNullPrototype: true },
)
/** As it is stored: of blanks there is none, and the ends have none. */
const note = fc
  .option(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 10 }).filter(isSingleLine),
      fc.constantFrom(' ', 'two  blanks', 'no\u00a0break'),
    ),
  )
  .map((text) => text?.trim() || null)
export const history = fc
  .array(fc.tuple(body, note, time, author), { minLength: 1, maxLength: 14 })
  .chain((entries) => fc.tuple(fc.constant(entries), fc.integer({ min: 1, max: 5 })))
  .map(([entries, first]) => ({
    body: entries.at(-1)?.[0] ?? '',
    revisions: entries.map(([body, note, createdAt, createdBy], index): Revision => {
      const version = first + index
      const shown = { note, createdAt, createdBy, restoredFrom: index > 1 ? first : null }
      return index === entries.length - 1 ? { version, ...shown } : { version, body, ...shown }
    }),
  }))

export const pagesWith = (arbitrary: fc.Arbitrary<object>) =>
  fc
    .uniqueArray(fc.tuple(path, arbitrary, fc.option(metadata, { nil: undefined })), {
      maxLength: 8,
      selector: ([path]) => path,
    })
    .map((pages) =>
      pages.map(([path, content, metadata]) => ({ path, ...content, ...(metadata && { metadata }) }) as Page),
    )
