import { button } from '../parts/dom.ts'
import { t } from '../parts/t.ts'

/** Shows who else has the page open, and that somebody has saved a version meanwhile, which `merge` merges. */
export function followPage(form: HTMLFormElement, base: HTMLInputElement | null, merge: () => void): void {
  const { space = '', path = '', page } = form.dataset
  const before = form.querySelector('.save-bar')
  if (!base || page === undefined || !before) return
  const options = {
    page: { space, path },
    state: 'editing' as const,
    version: () => Number(base.value),
    before,
    action: () => button(t('Merge'), 'button small', merge),
  }
  void import('../parts/news.ts').then(({ showNews }) => showNews(options))
}
