import type { Mark, Node } from 'prosemirror-model'
import { schema } from './schema.ts'

const { nodes } = schema

/** A text without what Markdown cannot keep: spaces at the ends of its lines, and breaks at its end. */
export function trimContent(content: readonly Node[]): Node[] {
  const trimmedNodes: Node[] = []
  for (const node of content) addTrimmed(node, trimmedNodes)
  dropSpaces(trimmedNodes)
  while (isBreak(trimmedNodes.at(-1))) {
    trimmedNodes.pop()
    dropSpaces(trimmedNodes)
  }
  return trimmedNodes
}

function addTrimmed(node: Node, content: Node[]): void {
  const last = content.at(-1)
  if (isBreak(node) && !isCode(node)) {
    dropSpaces(content)
    if (last || node.type === nodes.hard_break) content.push(node)
  } else if (!node.isText && !isBreak(node)) content.push(node)
  else addText(node, content)
}

function addText(node: Node, content: Node[]): void {
  const last = content.at(-1)
  const text = node.text ?? ' '
  if (last?.isText && describeMarks(last.marks) === describeMarks(node.marks))
    content.splice(-1, 1, schema.text(last.text + text, last.marks))
  else if (isCode(node) || (last && !isBreak(last))) content.push(schema.text(text, node.marks))
  else if (/[^ \t\n]/.test(text)) content.push(schema.text(text.replace(/^[ \t\n]+/, ''), node.marks))
}

/** A text that is equal for contents that show the same, however they are written. */
export function describeContent(content: readonly Node[]): string {
  const parts: [marks: string, text: string][] = []
  for (const [marks, text] of trimContent(content).flatMap(describeNode)) {
    const last = parts.at(-1)
    if (text === ' ' && last?.[1].endsWith('\n')) continue
    if (last?.[0] === marks) last[1] += text
    else parts.push([marks, text])
  }
  return JSON.stringify(parts)
}

function describeNode(node: Node): [marks: string, text: string][] {
  const { type, attrs } = node
  if (isBreak(node)) return [['', type === nodes.soft_break ? ' ' : '\n']]
  const marks = describeMarks(node.marks)
  if (!node.isText) return [[marks, JSON.stringify([type.name, { ...attrs, markup: undefined }])]]
  if (isCode(node)) return [[marks, node.text ?? '']]
  // Emphasis of spaces is not shown.
  const parts = (node.text ?? '').split(/([ \t\n]+)/).filter((part) => part !== '')
  return parts.map((part) => [part.trim() === '' ? '' : marks, part])
}

function describeMarks(marks: readonly Mark[]): string {
  const names = marks.map(({ type, attrs }) => [type.name, attrs.href, attrs.title, attrs.tag].join(' '))
  return names.sort().join(',')
}

function isBreak(node: Node | undefined): boolean {
  return node?.type === nodes.soft_break || node?.type === nodes.hard_break
}

function isCode({ marks }: Node): boolean {
  return marks.some(({ type }) => type.name === 'code')
}

/** Drops the spaces at the end. */
function dropSpaces(content: Node[]): void {
  for (let last = content.at(-1); last?.isText && !isCode(last); last = content.at(-1)) {
    const text = last.text?.replace(/[ \t\n]+$/, '') ?? ''
    if (text === last.text) return
    content.pop()
    if (text !== '') content.push(schema.text(text, last.marks))
  }
}
