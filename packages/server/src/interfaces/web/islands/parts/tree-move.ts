import { pageUrl } from '@recto/contract/page-url.ts'
import { readProblem, send } from './api.ts'
import { element, filled } from './dom.ts'
import { leaveMessage } from './message.ts'
import { parentFolder, type TreeEditor } from './tree-place.ts'

export interface TreeMove {
  readonly path: string
  readonly to: string
  /** A folder without a page of its own. */
  readonly isFolder: boolean
}

/** The displayed members of the response to a move. */
interface Outcome {
  readonly moved: readonly {
    readonly from: { readonly path: string }
    readonly to: { readonly path: string }
  }[]
  readonly files: readonly unknown[]
  readonly rewritten: readonly unknown[]
  readonly left: readonly unknown[]
  readonly refusals: readonly { readonly path: string; readonly detail: string }[]
}

/** Shows the dry run of a move and, after confirmation, moves; returns whether it moved. */
export async function movePages(editor: TreeEditor, move: TreeMove): Promise<boolean> {
  const title = editor.readTitle(move.path)
  const plan = await request(editor, move, true)
  if (!plan || !(await agreed(formatQuestion(editor, move), plan))) return false
  const done = await request(editor, move, false)
  if (!done) return false
  const { nav, say, reload } = editor
  const read = done.moved.find(({ from }) => from.path === nav.dataset.page)
  if (read) {
    const undo = {
      requests: [{ method: 'POST', ...toRequest(editor.space, reversed(move)) }],
      url: pageUrl(editor.space, read.from.path),
    }
    leaveMessage({ name: title, text: 'was moved.', undo })
    location.assign(pageUrl(editor.space, read.to.path))
    return true
  }
  await reload(move.to)
  say(`${title} was moved.`, async () => {
    if (!(await request(editor, reversed(move), false))) return
    await reload(move.path)
    say(`${title} is back.`)
  })
  return true
}

function reversed({ path, to, isFolder }: TreeMove): TreeMove {
  return { path: to, to: path, isFolder }
}

function toRequest(space: string, { path, to, isFolder }: TreeMove, dryRun = false) {
  const body = { to: { path: to }, rewriteLinks: true, dryRun }
  return isFolder
    ? { url: `/spaces/${space}/move-folder`, json: { path, ...body }, match: '*' }
    : { url: `${pageUrl(space, path)}/move`, json: { withChildren: true, ...body }, match: '*' }
}

async function request(editor: TreeEditor, move: TreeMove, dryRun: boolean): Promise<Outcome | undefined> {
  const { space, say } = editor
  const { url, json, match } = toRequest(space, move, dryRun)
  try {
    const response = await send('POST', url, { json, headers: { 'If-Match': match } })
    if (response.ok) return await response.json()
    say((await readProblem(response)).detail)
  } catch {
    say('The service cannot be reached. Nothing was changed.')
  }
  return undefined
}

function formatQuestion({ readTitle }: TreeEditor, { path, to }: TreeMove): readonly (string | HTMLElement)[] {
  const folder = parentFolder(to)
  const place = folder === '' ? ['to the top level?'] : ['into ', isolated(readTitle(folder)), '?']
  return ['Move ', isolated(readTitle(path)), ' ', ...place]
}

/** What the dry run says: only what changes. */
function formatSummary({ moved, files, rewritten, left }: Outcome): string {
  const parts = [
    `${counted(moved.length, 'page moves', 'pages move')}${files.length > 0 ? `, and with them ${counted(files.length, 'file', 'files')}` : ''}`,
    rewritten.length > 0 && `${counted(rewritten.length, 'page gets', 'pages get')} a new version with changed links`,
    left.length > 0 && `${counted(left.length, 'link stays as it is', 'links stay as they are')}`,
    rewritten.length + left.length === 0 && 'No links change',
  ]
  return `${parts.filter((part) => part !== false).join('. ')}.`
}

/** The confirmation dialog with the result of the dry run. */
function agreed(question: readonly (string | HTMLElement)[], plan: Outcome): Promise<boolean> {
  const title = filled(element('h2', { id: 'tree-move-title' }), question)
  const problems = plan.refusals.slice(0, 20).map(({ path, detail }) => element('li', {}, isolated(path), ` ${detail}`))
  const about = problems.length > 0 ? filled(element('ul'), problems) : element('p', {}, formatSummary(plan))
  const form = element('form', { method: 'dialog', class: 'buttons' })
  const answer = (value: string, look: string) => element('button', { value, class: `button ${look}` }, value)
  if (problems.length === 0) form.append(answer('Move', 'primary'))
  form.append(answer('Cancel', ''))
  const dialog = element('dialog', { 'aria-labelledby': title.id }, title, about, form)
  document.body.append(dialog)
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'Move')
    })
    dialog.showModal()
  })
}

function isolated(text: string): HTMLElement {
  return element('bdi', {}, text)
}

function counted(count: number, one: string, many: string): string {
  return `${count === 0 ? 'No' : count} ${count === 1 ? one : many}`
}
