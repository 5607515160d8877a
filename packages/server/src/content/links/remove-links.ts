import type { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import type { BodyLink } from '@recto/markdown/page.ts'

/** A link as `[text](target)` in a body. */
interface InlineLink {
  readonly start: number
  readonly end: number
  readonly text: string
}

const MAX_SINGLE = 20
const MAX_TEXT = 2_000
// A target in angle brackets, or without blanks and with one level of parentheses; then an optional title.
const TARGET =
  /\(\s{0,20}(?:<((?:[^<>\n\\]|\\.){0,2000})>|((?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.){0,500}\)){1,2000}))(?:\s{1,20}(?:"(?:[^"\\]|\\.){0,500}"|'(?:[^'\\]|\\.){0,500}'|\((?:[^()\\]|\\.){0,500}\)))?\s{0,20}\)/y

/**
 * Removes the links with these targets, and keeps their text and every other byte. Only inline links can be removed;
 * the result is checked by parsing the new body. Undefined if none could be removed.
 */
export async function removeLinksFrom(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  body: string,
  isTarget: (href: string) => boolean,
): Promise<string | undefined> {
  const { links } = await markdown.analyse(body)
  const inlineMatches = inlineLinks(body, isTarget)
  if (inlineMatches.length === 0) return undefined
  const all = without(body, inlineMatches)
  if (await lostOnly(markdown, links, all, isTarget, inlineMatches.length)) return all
  // Some of them may be in code: from the last to the first, so that earlier positions stay valid.
  let leftBody = body
  let knownLinks = links
  for (const link of inlineMatches.slice(-MAX_SINGLE).reverse()) {
    const next = without(leftBody, [link])
    if (!(await lostOnly(markdown, knownLinks, next, isTarget, 1))) continue
    leftBody = next
    knownLinks = (await markdown.analyse(next)).links
  }
  return leftBody === body ? undefined : leftBody
}

/** Every place where such a link is written, including code. */
function inlineLinks(body: string, isTarget: (href: string) => boolean): InlineLink[] {
  const inlineMatches: InlineLink[] = []
  for (let close = body.indexOf(']('); close !== -1; close = body.indexOf('](', close + 2)) {
    TARGET.lastIndex = close + 1
    const target = TARGET.exec(body)
    if (!target || !isTarget(plain(target[1] ?? target[2] ?? ''))) continue
    const open = findOpeningBracket(body, close)
    if (open === undefined || body[open - 1] === '!') continue
    inlineMatches.push({ start: open, end: TARGET.lastIndex, text: body.slice(open + 1, close) })
  }
  return inlineMatches
}

/** The position of the bracket that opens before a closing one. */
function findOpeningBracket(body: string, close: number): number | undefined {
  let depth = 0
  for (let at = close; at >= 0 && at > close - MAX_TEXT; at--) {
    if (body[at - 1] === '\\') continue
    if (body[at] === ']') depth++
    if (body[at] === '[' && --depth === 0) return at
  }
  return undefined
}

/** As the parser reads a target: escapes and the entity of `&` are decoded. */
function plain(target: string): string {
  return target.replace(/\\([!-/:-@[-`{-~])/g, '$1').replace(/&amp;/g, '&')
}

function without(body: string, links: readonly InlineLink[]): string {
  const pieces: string[] = []
  let writtenEnd = 0
  for (const { start, end, text } of links) {
    pieces.push(body.slice(writtenEnd, start), text)
    writtenEnd = end
  }
  return pieces.join('') + body.slice(writtenEnd)
}

/** Whether the new body has that many of the target links less, and all others. */
async function lostOnly(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  before: readonly BodyLink[],
  body: string,
  isTarget: (href: string) => boolean,
  count: number,
): Promise<boolean> {
  const { links: after } = await markdown.analyse(body)
  if (after.length !== before.length - count) return false
  const others = (links: readonly BodyLink[]) =>
    JSON.stringify(links.filter(({ href }) => !isTarget(href)).map(({ href, text, line }) => [href, text, line]))
  return others(before) === others(after)
}
