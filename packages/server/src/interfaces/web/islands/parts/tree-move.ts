import { pageUrl } from '@recto/contract/page-url.ts'
import { readProblem, send } from './api.ts'
import { element, filled } from './dom.ts'
import { leaveMessage } from './message.ts'
import { formatNodes, t } from './t.ts'
import { parentFolder, type TreeEditor } from './tree-place.ts'

export interface TreeMove {
  readonly path: string
  readonly to: string
  /** A folder without a page of its own. */
  readonly isFolder: boolean
}

/** The displayed members of the response to a move. */
interface Outcome {
  readonly moved: readonly { readonly from: { readonly path: string }; readonly to: { readonly path: string } }[]
  readonly files: readonly unknown[]
  readonly rewritten: readonly unknown[]
  readonly left: readonly unknown[]
  readonly refusals: readonly { readonly path: string; readonly detail: string; readonly localDetail?: string }[]
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
    leaveMessage({ name: title, text: t('was moved.'), undo })
    location.assign(pageUrl(editor.space, read.to.path))
    return true
  }
  await reload(move.to)
  say(t('{title} was moved.', { title }), async () => {
    if (!(await request(editor, reversed(move), false))) return
    await reload(move.path)
    say(t('{title} is back.', { title }))
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
    say(t('The service cannot be reached. Nothing was changed.'))
  }
  return undefined
}

function formatQuestion({ readTitle }: TreeEditor, { path, to }: TreeMove): readonly (string | HTMLElement)[] {
  const folder = parentFolder(to)
  const title = isolated(readTitle(path))
  return folder === ''
    ? formatNodes('Move {title} to the top level?', { title })
    : formatNodes('Move {title} into {folder}?', { title, folder: isolated(readTitle(folder)) })
}

/** What the dry run says: only what changes. */
function formatSummary({ moved, files, rewritten, left }: Outcome): string {
  const parts = [
    files.length > 0
      ? t(
          '{pages, plural, =0 {No pages move} one {# page moves} other {# pages move}}, and with them {files, ' +
            'plural, one {# file} other {# files}}.',
          { pages: moved.length, files: files.length },
        )
      : t('{pages, plural, =0 {No pages move} one {# page moves} other {# pages move}}.', { pages: moved.length }),
    rewritten.length > 0 &&
      t('{pages, plural, one {# page gets} other {# pages get}} a new version with changed links.', {
        pages: rewritten.length,
      }),
    left.length > 0 &&
      t('{links, plural, one {# link stays as it is} other {# links stay as they are}}.', { links: left.length }),
    rewritten.length + left.length === 0 && t('No links change.'),
  ]
  return parts.filter((part) => part !== false).join(' ')
}

/** The confirmation dialog with the result of the dry run. */
function agreed(question: readonly (string | HTMLElement)[], plan: Outcome): Promise<boolean> {
  const title = filled(element('h2', { id: 'tree-move-title' }), question)
  const problems = plan.refusals
    .slice(0, 20)
    .map(({ path, detail, localDetail = detail }) => element('li', {}, isolated(path), ` ${localDetail}`))
  const about = problems.length > 0 ? filled(element('ul'), problems) : element('p', {}, formatSummary(plan))
  const form = element('form', { method: 'dialog', class: 'buttons' })
  const answer = (value: string, text: string, look: string) =>
    element('button', { value, class: `button ${look}` }, text)
  if (problems.length === 0) form.append(answer('move', t('Move'), 'primary'))
  form.append(answer('cancel', t('Cancel'), ''))
  const dialog = element('dialog', { 'aria-labelledby': title.id }, title, about, form)
  document.body.append(dialog)
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'move')
    })
    dialog.showModal()
  })
}

function isolated(text: string): HTMLElement {
  return element('bdi', {}, text)
}
