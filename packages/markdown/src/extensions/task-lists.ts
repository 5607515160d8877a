import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/** GFM's task list items: `[ ]` or `[x]` at the start becomes a disabled checkbox with an accessible name. */
export function taskLists(md: MarkdownIt): void {
  // Before inlines are parsed, where `[x]` could be a link, like in GitHub's parser.
  md.core.ruler.before('inline', 'task_marks', findTasks)
  md.core.ruler.after('inline', 'task_boxes', putBoxes)
  md.renderer.rules.task_box = (tokens, index) =>
    tokens[index]?.markup === ' '
      ? '<input type="checkbox" disabled="" aria-label="Not done"> '
      : '<input type="checkbox" checked="" disabled="" aria-label="Done"> '
}

/** The line of each task in the order of its box, counted from 0. */
export function taskLines(tokens: readonly Token[], linesBefore: number): number[] {
  return tokens.flatMap(({ meta, map }) => (typeof meta?.task === 'string' && map ? [linesBefore + map[0]] : []))
}

const MARK = /^\[([ xX])\]\s/

function findTasks({ tokens }: StateCore): void {
  const lists: Token[] = []
  tokens.forEach((token, index) => {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
    else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
    else if (token.type === 'list_item_open' && markTask(token, tokens[index + 1], tokens[index + 2]))
      lists.at(-1)?.attrSet('class', 'contains-task-list')
  })
}

/** Makes a list item a task if it starts with a mark, which is removed. */
function markTask(item: Token, open: Token | undefined, content: Token | undefined): boolean {
  if (open?.type !== 'paragraph_open' || content?.type !== 'inline') return false
  const mark = MARK.exec(content.content)
  if (!mark) return false
  item.attrSet('class', 'task-list-item')
  // A line break after the mark is kept for the line numbers.
  content.content = content.content.slice(mark[0].endsWith('\n') ? mark[0].length - 1 : mark[0].length)
  content.meta = { task: mark[1] }
  return true
}

function putBoxes(state: StateCore): void {
  for (const token of state.tokens) {
    const task = token.meta?.task
    if (typeof task !== 'string' || !token.children) continue
    const box = new state.Token('task_box', 'input', 0)
    box.markup = task
    token.children.unshift(box)
  }
}
