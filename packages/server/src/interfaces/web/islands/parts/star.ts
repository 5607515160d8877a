import { readProblem, send } from './api.ts'
import { t } from './t.ts'
import { createToast } from './toast.ts'

let toast: ((message: string) => void) | undefined

/** Adds a page or space to the favourites or watches, or removes it, in place of its form. */
export async function toggleStar(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector('button')
  if (!button || button.ariaDisabled === 'true') return
  const isOn = button.value === 'yes'
  const { api = '', words = '' } = form.dataset
  const [add = '', remove = '', added = '', removed = ''] = words.split('|')
  button.ariaDisabled = 'true'
  try {
    const response = await send(isOn ? 'PUT' : 'DELETE', api)
    if (!response.ok) {
      say((await readProblem(response)).detail)
      return
    }
    button.value = isOn ? 'no' : 'yes'
    button.ariaPressed = String(isOn)
    button.title = isOn ? remove : add
    say(isOn ? added : removed)
    document.dispatchEvent(new Event('recto:favourites'))
  } catch {
    say(t('The service cannot be reached. Nothing was changed.'))
  } finally {
    button.ariaDisabled = null
  }
}

function say(message: string): void {
  toast ??= createToast(document.querySelector('main') ?? document.body)
  toast(message)
}
