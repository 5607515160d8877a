import { readProblem, send } from './api.ts'
import { t } from './t.ts'

const BOXES = '.task-list-item > input:first-child, .task-list-item > p:first-child > input:first-child'
const MAX_NAME = 200

/** Makes the check boxes of tasks work: each change is saved at once, one after another. */
export function tickTasks(article: HTMLElement, say: (message: string) => void): void {
  const boxes = [...article.querySelectorAll<HTMLInputElement>(BOXES)]
  const { tick = '', tasks } = article.dataset
  // Raw HTML can look like a task. Then no box is known to be that of a task.
  if (boxes.length !== Number(tasks)) return
  const version = Number(article.dataset.version)
  let savePromise: Promise<void> = Promise.resolve()

  const save = async (box: HTMLInputElement, task: number, isDone: boolean) => {
    try {
      const response = await send('POST', tick, { json: { version, task, isDone } })
      if (response.ok) {
        const { version: latest }: { version: number } = await response.json()
        const page = article.closest<HTMLElement>('[data-latest]')
        if (page) page.dataset.latest = String(latest)
        // The number of the task stays: it is that of the version that this page shows.
        return say(isDone ? t('Task done') : t('Task not done'))
      }
      const { code, detail } = await readProblem(response)
      say(code === 'precondition_failed' ? t('Somebody changed this task. Reload the page.') : detail)
    } catch {
      say(t('The service cannot be reached. Nothing was changed.'))
    }
    box.checked = !isDone
  }
  for (const [task, box] of boxes.entries()) {
    box.disabled = false
    box.ariaLabel = readName(box)
    box.addEventListener('change', () => {
      const isDone = box.checked
      savePromise = savePromise.then(() => save(box, task, isDone))
    })
  }
}

/** The text of the task without that of the tasks below it. */
function readName(box: HTMLInputElement): string {
  const item = box.closest('li')?.cloneNode(true)
  if (!(item instanceof HTMLElement)) return t('Task')
  for (const list of item.querySelectorAll('ul, ol')) list.remove()
  return item.textContent.trim().slice(0, MAX_NAME) || t('Task')
}
