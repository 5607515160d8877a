import { isDeepStrictEqual } from 'node:util'
import { isMap, isScalar, parseDocument } from 'yaml'
import { splitFrontMatter } from './front-matter.ts'
import { frontMatterBlock } from './front-matter-block.ts'

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * The body with another `icon` in its front matter, or without one. All other bytes stay. Undefined if its front matter
 * cannot be changed safely, because it is malformed or not a plain list of keys.
 */
export function withIcon(body: string, icon: string | undefined): string | undefined {
  const block = frontMatterBlock(body)
  const line = icon === undefined ? '' : `icon: ${quoted(icon)}`
  const end = body.includes('\r\n') ? '\r\n' : '\n'
  if (!block) {
    if (icon === undefined) return body
    const start = body.startsWith('\uFEFF') ? 1 : 0
    const rest = body.slice(start)
    const gap = /^\r?\n/.test(rest) || rest === '' ? '' : end
    return `${body.slice(0, start)}---${end}${line}${end}---${end}${gap}${rest}`
  }
  const edit = planEdit(block.yaml, line, end)
  if (!edit) return undefined
  const yaml = block.yaml.slice(0, edit.from) + edit.text + block.yaml.slice(edit.to)
  const changedBlock =
    icon === undefined && yaml.trim() === ''
      ? body.slice(0, block.from) + body.slice(block.end).replace(/^\r?\n/, '')
      : body.slice(0, block.start) + yaml + body.slice(block.start + block.yaml.length)
  return isSameBut(body, changedBlock, icon) ? changedBlock : undefined
}

/** What to replace in the YAML by the line of the icon, which may be empty. */
function planEdit(yaml: string, line: string, end: string): Edit | undefined {
  const document = parseDocument(yaml, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  if (document.errors.length > 0) return undefined
  const { contents } = document
  if (contents !== null && !isMap(contents)) return undefined
  const pair = contents?.items.findLast(({ key }) => isScalar(key) && key.value === 'icon')
  if (!pair) {
    if (line === '') return { from: 0, to: 0, text: '' }
    return { from: yaml.length, to: yaml.length, text: yaml === '' ? `${line}${end}` : `${end}${line}` }
  }
  const from = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
  const range = isScalar(pair.value) ? pair.value.range : undefined
  if (!range) return undefined
  const to = Math.max(range[1], from + 'icon:'.length)
  if (line !== '') return { from, to, text: line }
  const next = /\r?\n/.exec(yaml.slice(to))
  if (next) return { from, to: to + next.index + next[0].length, text: '' }
  // The last line: with the end of the line before it.
  return { from: yaml.slice(0, from).replace(/\r?\n$/, '').length, to: yaml.length, text: '' }
}

/** Digits and signs of keycaps would be numbers and comments. */
function quoted(icon: string): string {
  return /^[\x21-\x7e]/.test(icon) ? `"${icon}"` : icon
}

/** Whether nothing but the icon differs, as the front matter is read. */
function isSameBut(before: string, after: string, icon: string | undefined): boolean {
  const [old, now] = [splitFrontMatter(before), splitFrontMatter(after)]
  const { icon: _, ...rest } = old.data
  const { icon: set, ...others } = now.data
  return set === icon && isDeepStrictEqual(rest, others) && old.content.trimStart() === now.content.trimStart()
}
