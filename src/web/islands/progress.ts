/** Shows the progress of long work until it ends; then the same address shows the result. */
import { followProgress } from './parts/follow-progress.ts'

const place = document.querySelector<HTMLElement>('[data-running]')
if (place && (await followProgress(location.href, place))) location.reload()
