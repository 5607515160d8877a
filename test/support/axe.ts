import axe, { type AxeResults } from 'axe-core'
import type { CDPSession, Page } from 'playwright-core'

/**
 * What axe-core finds wrong with a page, a line each. It runs in a world of its own beside the page's, so that the
 * page's own content security policy stays in force.
 */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const session = await sessionOf(page)
  const contextId = await isolatedWorld(session)
  const { result: loaded } = await session.send('Runtime.evaluate', { expression: 'typeof axe', contextId })
  if (loaded.value === 'undefined') {
    await session.send('Runtime.evaluate', { expression: axe.source, contextId })
  }
  const options = {
    resultTypes: ['violations'],
    selectors: false,
    // Off by default, because it is of WCAG 2.2.
    rules: { 'target-size': { enabled: true } },
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  }
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)})`,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return linesOf(result.value as AxeResults) // as axe promises
}

/**
 * The isolated world of a document belongs to the session: with one session a page, axe-core is loaded once a document.
 */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

function sessionOf(page: Page): Promise<CDPSession> {
  let session = sessions.get(page)
  if (session === undefined) {
    session = page.context().newCDPSession(page)
    sessions.set(page, session)
  }
  return session
}

async function isolatedWorld(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  })
  return executionContextId
}

function linesOf({ violations }: AxeResults): string[] {
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 160)} ${any[0]?.message ?? ''}`),
  )
}
