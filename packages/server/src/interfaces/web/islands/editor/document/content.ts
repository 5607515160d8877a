import type { Mark, Node } from 'prosemirror-model'
import { schema } from './schema.ts'

const { nodes } = schema

/** A text without what Markdown cannot keep: spaces at the ends of its lines, and breaks at its end. */
export function trimContent(content: readonly Node[]): Node[] {
  const trimmedNodes: Node[] = []
  for (const node of content) {
    if (isBreak(node)) {
      dropSpaces(trimmedNodes)
      if (trimmedNodes.length > 0 || node.type === nodes.hard_break) trimmedNodes.push(node)
    } else if (isPlain(node) && startsLine(trimmedNodes)) {
      const text = node.text?.replace(/^[ \t\n]+/, '') ?? ''
      if (text !== '') trimmedNodes.push(schema.text(text, node.marks))
    } else trimmedNodes.push(node)
  }
  dropSpaces(trimmedNodes)
  while (isBreak(trimmedNodes.at(-1))) {
    trimmedNodes.pop()
    dropSpaces(trimmedNodes)
  }
  return trimmedNodes
}

/** A text that is equal for contents that show the same, however they are written. */
export function describeContent(content: readonly Node[]): string {
  const parts: [marks: string, text: string][] = []
  for (const node of trimContent(content)) {
    for (const text of node.isText ? (node.text ?? '').split(/([ \t\n]+)/) : [describeLeaf(node)]) {
      // Emphasis of spaces is not shown.
      const marks = text.trim() === '' && isPlain(node) ? '' : describeMarks(node.marks)
      const last = parts.at(-1)
      if (last?.[0] === marks) last[1] += text
      else if (text !== '') parts.push([marks, text])
    }
  }
  return JSON.stringify(parts)
}

function describeLeaf({ type, attrs }: Node): string {
  if (type === nodes.soft_break) return ' '
  return type === nodes.hard_break ? '\n' : JSON.stringify([type.name, { ...attrs, markup: undefined }])
}

function describeMarks(marks: readonly Mark[]): string {
  const names = marks.map(({ type, attrs }) => [type.name, attrs.href, attrs.title, attrs.tag].join(' '))
  return names.sort().join(',')
}

function isBreak(node: Node | undefined): boolean {
  return node?.type === nodes.soft_break || node?.type === nodes.hard_break
}

/** Whether spaces of the text mean no more than one. */
function isPlain(node: Node): boolean {
  return node.isText && !node.marks.some(({ type }) => type.name === 'code')
}

function startsLine(content: readonly Node[]): boolean {
  return content.length === 0 || isBreak(content.at(-1))
}

/** Drops the spaces at the end. */
function dropSpaces(content: Node[]): void {
  for (let last = content.at(-1); last && isPlain(last); last = content.at(-1)) {
    const text = last.text?.replace(/[ \t\n]+$/, '') ?? ''
    if (text === last.text) return
    content.pop()
    if (text !== '') content.push(schema.text(text, last.marks))
  }
}
