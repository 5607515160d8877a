import { copyText } from './clipboard.ts'

/** Gives code blocks a button that copies them, and lets the anchors of headings copy their URL. */
export function copyParts(article: HTMLElement, say: (message: string) => void): void {
  for (const block of article.querySelectorAll<HTMLPreElement>('pre')) {
    if (block.closest('.diagram')) continue
    const frame = Object.assign(document.createElement('div'), { className: 'code-block' })
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      className: 'button small',
      textContent: 'Copy',
    })
    button.setAttribute('aria-label', 'Copy code')
    button.addEventListener('click', async () => {
      if (await copyText(block.textContent)) return say('Code copied')
      getSelection()?.selectAllChildren(block)
      say('Code selected. Press Ctrl+C to copy')
    })
    block.replaceWith(frame)
    frame.append(block, button)
  }
  article.addEventListener('click', async ({ target }) => {
    const anchor = target instanceof Element ? target.closest<HTMLAnchorElement>('a.anchor') : null
    // The browser goes to the heading, so that the URL can also be copied from the address bar.
    if (anchor && (await copyText(anchor.href))) say('Link copied')
  })
}
