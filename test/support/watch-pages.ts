import type { BrowserContext, ConsoleMessage, Dialog, Page, Request } from 'playwright-core'

/** Notes what pages do that they must not do. */
export interface Watched {
  /** Ends the watch; a line for each thing that was seen. */
  stop(): string[]
}

/**
 * Watches all pages of a context, those to come too: dialogs, windows, what the content security policy has to report,
 * faults of scripts, other errors in the console, and requests to another origin than `base`, which are not sent.
 */
export function watchPages(
  context: BrowserContext,
  base: string,
  allows: (request: Request) => boolean = () => false,
): Watched {
  const seen: string[] = []
  const onConsole = (message: ConsoleMessage) => {
    const text = message.text()
    if (/Content Security Policy|Trusted Type/i.test(text)) seen.push(`policy: ${text}`)
    else if (message.type() === 'error' && !isMissing(message)) seen.push(`console: ${text}`)
  }
  const onDialog = (dialog: Dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {
      // The page may be gone by now.
    })
  }
  const onRequest = (request: Request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin === base || protocol === 'data:' || protocol === 'blob:' || allows(request)) return
    seen.push(`request: ${request.resourceType()} ${request.url()}`)
  }
  const onError = ({ error }: { readonly error: () => Error }) => seen.push(`fault: ${error()}`)
  const onPage = (page: Page) => {
    // Of the test's own pages nobody is the opener.
    void page.opener().then((opener) => opener && seen.push(`window: ${page.url()}`))
  }
  context.on('console', onConsole).on('dialog', onDialog).on('request', onRequest)
  context.on('weberror', onError).on('page', onPage)
  return {
    stop() {
      context.off('console', onConsole).off('dialog', onDialog).off('request', onRequest)
      context.off('weberror', onError).off('page', onPage)
      return seen
    },
  }
}

/** Error pages have the status of their error, and pages refer to files that do not exist. */
function isMissing(message: ConsoleMessage): boolean {
  return /^Failed to load resource: the server responded with a status of 4/.test(message.text())
}
