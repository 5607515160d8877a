import { randomBytes } from 'node:crypto'
import MarkdownIt, { type Env, type MarkdownIt as Parser, type RendererRule, type Token } from 'markdown-it'
import { highlight } from './extensions/highlight.ts'
import { mathBlock } from './extensions/maths.ts'
import type { TokenFacts } from './facts.ts'
import { writeRawHtml } from './raw-html.ts'
import { type SanitisedHtml, sanitise } from './sanitise.ts'

const FACTS = Symbol('facts')
const MARKER = Symbol('marker')
/** Ten times what an ordinary body of the maximum size renders to. A hostile one, such as of footnotes, exceeds it. */
const MAX_HTML = 16 * 1024 * 1024

/** Renders the token stream to sanitised HTML, with the offsets of its links; undefined if it would be too large. */
export function renderTokens(md: Parser, tokens: readonly Token[], facts: TokenFacts): SanitisedHtml | undefined {
  // Links are numbered through the sanitiser by an attribute whose random name bodies cannot know.
  const marker = `data-${randomBytes(12).toString('hex')}`
  const env: Env = { [FACTS]: facts, [MARKER]: marker }
  const html = md.renderer.render([...tokens], md.options, env)
  return html.length > MAX_HTML ? undefined : sanitise(html, marker)
}

/** The source of a body whose HTML would be too large. */
export function renderSource(content: string): SanitisedHtml {
  return sanitise(`<pre><code>${escapeHtml(content)}</code></pre>\n`, '')
}

/** Adds our rendering rules: heading anchors, numbered links, raw HTML, code. */
export function renderingRules(md: Parser): void {
  const { rules } = md.renderer
  rules.heading_open = headingOpen
  rules.heading_close = headingClose
  rules.link_open = linkOpen
  rules.html_block = rawHtml
  rules.html_inline = rawHtml
  rules.fence = fence
  const image = rules.image
  rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]
    token?.attrSet('src', encodeUrl(String(token.attrGet('src') ?? '')))
    return image?.(tokens, index, options, env, self) ?? ''
  }
}

const { normalizeLink: encodeUrl } = new MarkdownIt()
const { escapeHtml, unescapeAll } = new MarkdownIt().utils

function readFacts(env: Env | undefined): TokenFacts {
  return env?.[FACTS] as TokenFacts
}

function mark(env: Env | undefined, link: number | undefined): string {
  return link === undefined ? '' : ` ${String(env?.[MARKER])}="${link}"`
}

const headingOpen: RendererRule = (tokens, index, _options, env) => {
  const token = tokens[index]
  const heading = token && readFacts(env).toHeading.get(token)
  return heading ? `<div class="heading"><${token.tag} id="${heading.id}">` : `<${token?.tag}>`
}

/** The anchor is a sibling of the heading, so that the accessible name of the heading is its text. */
const headingClose: RendererRule = (tokens, index, _options, env) => {
  const token = tokens[index]
  const heading = token && readFacts(env).toHeading.get(token)
  if (!heading) return `</${token?.tag}>\n`
  const name = escapeHtml(`Link to ${heading.text === '' ? 'this section' : heading.text}`)
  return `</${token.tag}><a class="anchor" href="#${heading.id}" aria-label="${name}"></a></div>\n`
}

const linkOpen: RendererRule = (tokens, index, _options, env) => {
  const token = tokens[index]
  const title = token?.attrGet('title')
  const href = escapeHtml(encodeUrl(String(token?.attrGet('href') ?? '')))
  const number = mark(env, token && readFacts(env).toLink.get(token))
  return `<a${number} href="${href}"${title ? ` title="${escapeHtml(String(title))}"` : ''}>`
}

const rawHtml: RendererRule = (tokens, index, _options, env) => {
  const token = tokens[index]
  const facts = readFacts(env)
  return writeRawHtml((token && facts.splitPieces.get(token)) ?? [], (piece) => mark(env, facts.toLink.get(piece)))
}

const fence: RendererRule = (tokens, index, _options, _env) => {
  const { content = '', info = '' } = tokens[index] ?? {}
  const language = unescapeAll(info).trim().split(/\s/, 1)[0] ?? ''
  if (language === 'math') return mathBlock(escapeHtml(content))
  // The source is the accessible alternative of the diagram.
  if (language === 'mermaid') return `<div class="diagram"><pre><code>${escapeHtml(content)}</code></pre></div>\n`
  const code = highlight(content, language) ?? escapeHtml(content)
  return `<pre><code${language ? ` class="language-${escapeHtml(language)}"` : ''}>${code}</code></pre>\n`
}
