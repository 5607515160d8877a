import type { MarkdownIt, StateCore, StateInline, Token } from 'markdown-it'

/** GFM's extended autolinks (GFM specification, 6.9): URLs are found among inlines, mail addresses in what is left. */
export function autolinks(md: MarkdownIt): void {
  md.inline.ruler.at('text', text)
  md.inline.ruler.at('linkify', webAddress)
  md.inline.ruler.before('text', 'www', wwwAddress)
  md.core.ruler.at('linkify', mailAddresses)
}

const W = 0x77
const COLON = 0x3a
/** DNS allows 253 characters. The limit keeps parsing linear. */
const MAX_DOMAIN = 256
/** Where inline rules may begin: at these characters, and at `www.` and `://`. Labels end at `]`. */
const MARKS = new Set(Array.from('\n!$&*<[\\]_`~', (mark) => mark.charCodeAt(0)))
const MAYBE = new Uint8Array(128).map((_, code) => (MARKS.has(code) || code === W || code === COLON ? 1 : 0))
const BEFORE_WWW = /[\s*_~(]/
const SPACE_OR_LESS = /[\s<]/g

/** Whether inline content is plain text, because no inline rule can begin in it. */
export function isPlainText(content: string): boolean {
  return textEnd(content, 0, content.length) === content.length
}

/** Plain text up to the next place where a rule may begin. */
function text(state: StateInline, silent: boolean): boolean {
  const { pos, src, posMax } = state
  const end = textEnd(src, src.startsWith('www.', pos) ? pos + 1 : pos, posMax)
  if (end === pos) return false
  if (!silent) state.pending += src.slice(pos, end)
  state.pos = end
  return true
}

function textEnd(src: string, from: number, max: number): number {
  let at = from
  for (; at < max; at++) {
    const code = src.charCodeAt(at)
    if (code >= 128 || MAYBE[code] === 0) continue
    if (code === W ? src.startsWith('www.', at) : code !== COLON || src.startsWith('://', at)) break
  }
  return at
}

function wwwAddress(state: StateInline, silent: boolean): boolean {
  const { pos, src } = state
  if (silent || state.linkLevel > 0 || !src.startsWith('www.', pos)) return false
  if (pos > 0 && !BEFORE_WWW.test(src[pos - 1] ?? '')) return false
  const domain = domainEnd(src, pos, state.posMax)
  if (domain === undefined || !src.slice(pos, domain).includes('.')) return false
  const end = addressEnd(src, pos, domain, state.posMax)
  if (end <= pos + 4) return false
  pushLink(state, `http://${src.slice(pos, end)}`, src.slice(pos, end))
  state.pos = end
  return true
}

/** Called at each `:`, with the scheme already in the pending text. */
function webAddress(state: StateInline, silent: boolean): boolean {
  const { pos, src } = state
  // Not while a link label is scanned: the URL would include its closing bracket.
  if (silent || state.linkLevel > 0 || !src.startsWith('://', pos)) return false
  // From the source: reading the end of the pending text would flatten, that is copy, the growing string.
  const scheme = /(?<![a-z])https?$/i.exec(src.slice(Math.max(0, pos - 6), pos))?.[0]
  if (scheme === undefined || state.pending.length < scheme.length) return false
  const domain = domainEnd(src, pos + 3, state.posMax)
  if (domain === undefined || domain === pos + 3) return false
  const start = pos - scheme.length
  const end = addressEnd(src, start, domain, state.posMax)
  if (end <= pos + 3) return false
  state.pending = state.pending.slice(0, -scheme.length)
  pushLink(state, src.slice(start, end), src.slice(start, end))
  state.pos = end
  return true
}

/** Adds the tokens of a link by a function that makes them. */
function addLink(add: StateInline['push'], href: string, label: string): void {
  const open = add('link_open', 'a', 1)
  open.attrs = [['href', href]]
  open.markup = 'linkify'
  add('text', '', 0).content = label
  add('link_close', 'a', -1).markup = 'linkify'
}

function pushLink(state: StateInline, href: string, label: string): void {
  addLink((type, tag, nesting) => state.push(type, tag, nesting), href, label)
}

/** The end of the domain at `start`; undefined if one of its last two labels has an underscore. */
function domainEnd(src: string, start: number, max: number): number | undefined {
  const limit = Math.min(max, start + MAX_DOMAIN)
  let end = start
  let underscores = 0
  let before = 0
  for (const char of src.slice(start, limit)) {
    if (char === '_') underscores++
    else if (char === '.') [before, underscores] = [underscores, 0]
    else if (char !== '-' && /[\s\p{P}$+<=>^`|~]/u.test(char)) break
    end += char.length
  }
  return underscores > 0 || before > 0 || end === start + MAX_DOMAIN ? undefined : end
}

/** The end of a URL: before white space or `<`, without trailing punctuation. */
function addressEnd(src: string, start: number, domain: number, max: number): number {
  SPACE_OR_LESS.lastIndex = domain
  let end = Math.min(SPACE_OR_LESS.exec(src)?.index ?? max, max)
  let unmatchedCount = unmatchedClosing(src, start, end)
  while (end > start) {
    const last = src.charAt(end - 1)
    if (last === ')') {
      if (unmatchedCount <= 0) break
      unmatchedCount--
      end--
    } else if (last === ';') {
      // An entity reference is removed completely. None is longer than 32 characters.
      const entity = /&[a-z0-9]{1,32};$/i.exec(src.slice(Math.max(start, end - 34), end))
      end -= entity ? entity[0].length : 1
    } else if (/[?!.,:*_~'"]/.test(last)) end--
    else break
  }
  return end
}

/** The number of closing parentheses minus that of opening ones. */
function unmatchedClosing(src: string, start: number, end: number): number {
  let unmatchedCount = 0
  for (let pos = start; pos < end; pos++) {
    if (src[pos] === '(') unmatchedCount--
    else if (src[pos] === ')') unmatchedCount++
  }
  return unmatchedCount
}

function mailAddresses(state: StateCore): void {
  for (const block of state.tokens) {
    if (block.type !== 'inline' || !block.content.includes('@') || !block.children) continue
    let links = 0
    block.children = block.children.flatMap((token) => {
      if (token.type === 'link_open' || /^<a[\s>]/i.test(rawTag(token))) links++
      else if (token.type === 'link_close' || /^<\/a\s*>/i.test(rawTag(token))) links--
      return token.type === 'text' && links <= 0 && token.content.includes('@') ? splitMail(state, token) : [token]
    })
  }
}

function rawTag(token: Token): string {
  return token.type === 'html_inline' ? token.content : ''
}

function splitMail(state: StateCore, token: Token): readonly Token[] {
  const parts: Token[] = []
  const source = token.content
  const add: StateInline['push'] = (type, tag, nesting) => {
    const part = new state.Token(type, tag, nesting)
    part.map = token.map
    parts.push(part)
    return part
  }
  const plain = (from: number, to: number) => {
    if (from === to) return
    const part = add('text', '', 0)
    part.content = source.slice(from, to)
    part.level = token.level
  }
  let done = 0
  for (let at = source.indexOf('@'); at !== -1; at = source.indexOf('@', at + 1)) {
    const mail = mailAround(source, at, done)
    if (!mail) continue
    plain(done, mail.start)
    const address = source.slice(mail.start, mail.end)
    const href = /^mailto:/i.test(address) ? address : `mailto:${address}`
    addLink(add, href, address)
    done = mail.end
  }
  plain(done, source.length)
  return parts
}

function mailAround(source: string, at: number, from: number): { start: number; end: number } | undefined {
  let start = at
  while (start > from && /[a-z0-9.+_-]/i.test(source[start - 1] ?? '')) start--
  if (start === at) return undefined
  const scheme = /mailto:$/i.exec(source.slice(Math.max(from, start - 7), start))
  if (scheme) start -= scheme[0].length
  const domain = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+/i.exec(source.slice(at + 1, at + 1 + MAX_DOMAIN))?.[0]
  // It ends with a letter, as in GitHub's parser: `lodash@4.17.21` is not a mail address.
  if (domain === undefined || !/[a-z]$/i.test(domain)) return undefined
  const end = at + 1 + domain.length
  return source[end] === '@' ? undefined : { start, end }
}
