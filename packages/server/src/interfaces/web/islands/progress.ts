/** Shows the progress of long work until it ends; then the same address shows the result, or the place a text. */
import { followProgress } from './parts/follow-progress.ts'

const place = document.querySelector<HTMLElement>('[data-running]')
if (place && (await followProgress(location.href, place))) {
  const { whenDone } = place.dataset
  if (whenDone === undefined) location.reload()
  else place.textContent = whenDone
}
