import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common'
import type { Canvas } from './canvas.ts'
import { Picture, Sign, TaskBox } from './widgets.ts'

/** Shows an element. `false`: the elements within it are left as they are. */
type Rule = (node: SyntaxNodeRef, canvas: Canvas) => false | undefined

const MAX_NAME = 200

/** How each element of the Markdown tree is shown, by its name. */
export const RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].flatMap((level) => [
      [`ATXHeading${level}`, heading(level)],
      [`SetextHeading${level}`, heading(level)],
    ]),
  ),
  HeaderMark: headerMark,
  EmphasisMark: hideMark,
  StrikethroughMark: hideMark,
  CodeMark: hideMark,
  Strikethrough(node, canvas) {
    canvas.mark(node.from, node.to, 'live-struck')
    return undefined
  },
  Escape(node, canvas) {
    if (!canvas.isOpen(node.from, node.to)) canvas.hide(node.from, node.from + 1)
    return undefined
  },
  InlineCode(node, canvas) {
    canvas.mark(node.from, node.to, 'live-code')
    return undefined
  },
  Link: link,
  Autolink(node, canvas) {
    if (canvas.isOpen(node.from, node.to)) return undefined
    canvas.hide(node.from, node.from + 1)
    canvas.hide(node.to - 1, node.to)
    return undefined
  },
  Image: image,
  HorizontalRule(node, canvas) {
    if (!canvas.isOpenLine(node.from)) canvas.replace(node.from, node.to, new Sign('live-rule'))
    return undefined
  },
  ListMark: listMark,
  TaskMarker: taskMarker,
  Blockquote(node, canvas) {
    canvas.lines(node.from, node.to, 'live-quote')
    return undefined
  },
  QuoteMark(node, canvas) {
    if (!canvas.isOpenLine(node.from)) canvas.hide(node.from, afterSpaces(canvas, node.to, 1))
    return undefined
  },
  FencedCode: block('live-pre live-shaded'),
  CodeBlock: block('live-pre live-shaded'),
  HTMLBlock: block('live-pre'),
  CommentBlock: block('live-pre'),
  LinkReference: block('live-pre'),
  Table: block('live-pre'),
}

function heading(level: number): Rule {
  return (node, canvas) => {
    canvas.lines(node.from, node.to, `live-heading live-h${level}`)
    return undefined
  }
}

function block(className: string): Rule {
  return (node, canvas) => {
    canvas.lines(node.from, node.to, className)
    return false
  }
}

/** `## ` before a heading and ` ##` after it. The line below a Setext heading stays. */
function headerMark(node: SyntaxNodeRef, canvas: Canvas): undefined {
  const parent = node.node.parent
  if (!parent?.name.startsWith('ATX') || canvas.isOpenLine(node.from)) return
  if (node.from === parent.from) canvas.hide(node.from, afterSpaces(canvas, node.to))
  else canvas.hide(node.from - 1, node.to)
}

/** A mark at the ends of its element. */
function hideMark(node: SyntaxNodeRef, canvas: Canvas): undefined {
  const parent = node.node.parent
  if (parent && !canvas.isOpen(parent.from, parent.to)) canvas.hide(node.from, node.to)
}

/** The text of a link, or of an image. */
function findText(node: SyntaxNode): { readonly from: number; readonly to: number } | undefined {
  const [open, close] = node.getChildren('LinkMark')
  const hasTarget = node.getChild('URL') ?? node.getChild('LinkLabel')
  return open && close && hasTarget ? { from: open.to, to: close.from } : undefined
}

function link(node: SyntaxNodeRef, canvas: Canvas): undefined {
  const text = findText(node.node)
  if (!text || text.from === text.to || canvas.isOpen(node.from, node.to)) return
  canvas.hide(node.from, text.from)
  canvas.mark(text.from, text.to, 'live-link')
  canvas.hide(text.to, node.to)
}

function image(node: SyntaxNodeRef, canvas: Canvas): false | undefined {
  const text = findText(node.node)
  const target = node.node.getChild('URL')
  if (!text || !target || canvas.isOpen(node.from, node.to)) return undefined
  const url = canvas.imageUrl(canvas.text(target.from, target.to).replace(/^<|>$/g, ''))
  if (url === undefined) return undefined
  canvas.replace(node.from, node.to, new Picture(url, canvas.text(text.from, text.to)))
  return false
}

function listMark(node: SyntaxNodeRef, canvas: Canvas): undefined {
  const item = node.node.parent
  hangBelow(node, canvas)
  if (item?.parent?.name !== 'BulletList') canvas.mark(node.from, node.to, 'live-mark')
  else if (!item.getChild('Task') && !canvas.isOpen(node.from, node.to))
    canvas.replace(node.from, node.to, new Sign('live-mark', '•'))
}

/** The widths before the text of an item that have a class. */
const HANGS = [8, 6, 5, 4, 3, 2]

/** Wrapped lines of an item begin below its text. */
function hangBelow(node: SyntaxNodeRef, canvas: Canvas): void {
  const line = canvas.view.state.doc.lineAt(node.from)
  const before = canvas.text(line.from, node.from)
  if (before.trim() !== '') return
  const width = before.replaceAll('\t', '    ').length + (node.to - node.from) + 1
  const hang = HANGS.find((each) => each <= width)
  if (hang !== undefined) canvas.lines(node.from, node.from, `live-hang-${hang}`)
}

/** The box stands for `- [ ]`, in an ordered list for `[ ]`. */
function taskMarker(node: SyntaxNodeRef, canvas: Canvas): undefined {
  const task = node.node.parent
  const item = task?.parent
  const mark = item?.parent?.name === 'BulletList' ? item.getChild('ListMark') : undefined
  const from = mark?.from ?? node.from
  if (!task || canvas.isOpen(from, node.to)) return
  const isDone = canvas.text(node.from + 1, node.from + 2) !== ' '
  const name = canvas.text(node.to, Math.min(task.to, node.to + MAX_NAME)).trim()
  canvas.replace(from, node.to, new TaskBox(isDone, name))
  if (isDone) canvas.mark(node.to, task.to, 'live-done')
}

function afterSpaces(canvas: Canvas, at: number, max = Number.MAX_SAFE_INTEGER): number {
  const line = canvas.view.state.doc.lineAt(at)
  const spaces = /^[ \t]*/.exec(line.text.slice(at - line.from))?.[0].length ?? 0
  return at + Math.min(spaces, max)
}
