import { copyText } from './clipboard.ts'
import { button, element } from './dom.ts'
import { t } from './t.ts'

/** Gives code blocks a button that copies them, and lets the anchors of headings copy their URL. */
export function copyParts(article: HTMLElement, say: (message: string) => void): void {
  for (const block of article.querySelectorAll<HTMLPreElement>('pre')) {
    if (block.closest('.diagram')) continue
    const control = button(t('Copy'), 'button small', async () => {
      if (await copyText(block.textContent)) return say(t('Code copied'))
      getSelection()?.selectAllChildren(block)
      say(t('Code selected. Press Ctrl+C to copy'))
    })
    control.ariaLabel = t('Copy code')
    const frame = element('div', { class: 'code-block' })
    block.replaceWith(frame)
    frame.append(block, control)
  }
  article.addEventListener('click', async ({ target }) => {
    const anchor = target instanceof Element ? target.closest<HTMLAnchorElement>('a.anchor') : null
    // The browser goes to the heading, so that the URL can also be copied from the address bar.
    if (anchor && (await copyText(anchor.href))) say(t('Link copied'))
  })
}
