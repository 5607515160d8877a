/** Shows the progress of an export beside its form. */
import { followProgress } from './parts/follow-progress.ts'
import { t } from './parts/t.ts'

const form = document.querySelector<HTMLFormElement>('form.export')
const place = document.querySelector<HTMLElement>('#export-progress')
if (form && place) form.addEventListener('submit', () => void show(form, place))

async function show(form: HTMLFormElement, place: HTMLElement): Promise<void> {
  // Not before the form has been sent.
  setTimeout(() => form.querySelector('button')?.setAttribute('disabled', ''))
  place.hidden = false
  place.setAttribute('role', 'status')
  place.textContent = t('Preparing the download…')
  const resultDocument = await followProgress(form.dataset.job ?? '', place)
  const result = resultDocument?.querySelector('#export-result, .notice.error')
  if (result) place.replaceChildren(result)
  else place.textContent = t('The progress cannot be read. The download may go on: see the browser.')
}
