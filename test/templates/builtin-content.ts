import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { splitMarkdownSuffix } from '@recto/contract/page-address.ts'
import { isJsonObject, parseJson } from '@recto/lib/json/json.ts'
import MarkdownIt from 'markdown-it'
import { parse } from 'yaml'

export interface TemplatePage {
  readonly path: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  /** The text behind the front matter. */
  readonly body: string
  readonly hrefs: readonly string[]
  readonly headings: readonly { readonly level: number; readonly id: string }[]
  readonly codeSpans: readonly string[]
  /** Fenced blocks, with the language that each names. */
  readonly fences: readonly { readonly language: string; readonly text: string }[]
}

export interface BuiltinTemplate {
  readonly id: string
  readonly manifest: unknown
  readonly pages: ReadonlyMap<string, TemplatePage>
  /** Page path to the value of the file beside the page. */
  readonly metadata: ReadonlyMap<string, unknown>
  /** Files that are neither the manifest, nor a page, nor metadata. */
  readonly strays: readonly string[]
}

export type Target = { readonly path: string; readonly fragment: string } | 'outside' | 'external'

const ROOT = resolve(import.meta.dirname, '../../space-templates')
const METADATA = '.metadata.json'
const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n/
const markdown = new MarkdownIt({ html: true })

/** Every folder under `space-templates/`, read as it lies there. */
export function readBuiltinTemplates(): BuiltinTemplate[] {
  return readdirSync(ROOT).sort().map(readTemplate)
}

/**
 * Where a link of the page at `from` leads, by the rules for relative targets: they begin with `./` or `../`, or are
 * bare and end in `.md`. A fragment alone is a place on the same page. Whatever else has no scheme is `outside`.
 */
export function resolveTarget(from: string, href: string): Target {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return 'external'
  const [target = '', fragment = ''] = href.split('#', 2)
  if (target === '') return { path: from, fragment }
  const relative = /^\.\.?\//.test(target) || (target.endsWith('.md') && !target.startsWith('/'))
  if (!relative) return 'outside'
  const path = posix.join(folderOf(from), decodeURIComponent(target))
  return path.startsWith('..') ? 'outside' : { path: splitMarkdownSuffix(path).path, fragment }
}

/** The folder of a page: the empty text for pages at the top. */
export function folderOf(path: string): string {
  return path.includes('/') ? posix.dirname(path) : ''
}

function readTemplate(id: string): BuiltinTemplate {
  const files = readdirSync(join(ROOT, id), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(ROOT, id).length + 1))
    .sort()
  const text = (file: string) => readFileSync(join(ROOT, id, file), 'utf8')
  const isPage = (file: string) => file.startsWith('pages/') && file.endsWith('.md')
  const isMetadata = (file: string) => file.startsWith('pages/') && file.endsWith(METADATA)
  return {
    id,
    manifest: parse(text('template.yaml')),
    pages: new Map(
      files
        .filter(isPage)
        .map((file) => file.slice('pages/'.length, -'.md'.length))
        .map((path) => [path, readPage(path, text(`pages/${path}.md`))]),
    ),
    metadata: new Map(
      files.filter(isMetadata).map((file) => [file.slice('pages/'.length, -METADATA.length), parseJson(text(file))]),
    ),
    strays: files.filter((file) => file !== 'template.yaml' && !isPage(file) && !isMetadata(file)),
  }
}

function readPage(path: string, source: string): TemplatePage {
  const block = FRONT_MATTER.exec(source)
  const frontmatter: unknown = block ? parse(block[1] ?? '') : {}
  if (!isJsonObject(frontmatter)) throw new Error(`${path}: the front matter is no mapping`)
  const body = block ? source.slice(block[0].length) : source
  const hrefs: string[] = []
  const headings: { level: number; id: string }[] = []
  const codeSpans: string[] = []
  const fences: { language: string; text: string }[] = []
  const tokens = markdown.parse(body, {})
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'fence') fences.push({ language: token.info.trim(), text: token.content })
    if (token.type !== 'inline') continue
    const before = tokens[index - 1]
    if (before?.type === 'heading_open') {
      headings.push({ level: Number(before.tag.slice(1)), id: headingId(token.content) })
    }
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') hrefs.push(String(child.attrGet('href')))
      if (child.type === 'code_inline') codeSpans.push(child.content)
    }
  }
  return { path, frontmatter, body, hrefs, headings, codeSpans, fences }
}

/** GitHub's id of a heading, for headings of plain text that stand once on their page. */
function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
