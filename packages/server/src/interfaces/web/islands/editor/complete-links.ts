import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import { urlTarget } from '@recto/lib/attachment.ts'
import { findPages, type TitledPage } from './suggestions.ts'

/** `[[` and what follows it, or the target of an unfinished link. */
const WIKI = /\[\[([^\][\n]{0,200})$/
const TARGET = /\]\(([^()\s<>]{0,200})$/

/** Completes links: offers pages by title and path, and inserts a Markdown link. */
export function completeLinks(space: string): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos)
    const before = line.text.slice(0, context.pos - line.from)
    const wiki = WIKI.exec(before)
    const target = wiki ? null : TARGET.exec(before)
    const typedText = (wiki ?? target)?.[1]
    // URLs, anchors and relative files are not completed.
    if (typedText === undefined || /^(?:https?:|mailto:|#|\.)/.test(typedText)) return null
    const goneController = new AbortController()
    context.addEventListener('abort', () => goneController.abort())
    const pages = await findPages(typedText.replace(/^\/pages\//, ''), space, goneController.signal)
    if (context.aborted) return null
    const begin = wiki ? context.pos - typedText.length - 2 : context.pos - typedText.length
    return {
      from: context.pos - typedText.length,
      options: pages.map((page) => option(page, begin, wiki !== null)),
      filter: false,
    }
  }
}

function option(page: TitledPage, begin: number, isLink: boolean): Completion {
  const target = urlTarget(page.url)
  return {
    label: page.title,
    detail: `${page.space}/${page.path}`,
    apply(view, _completion, _from, to) {
      // Replaces closing brackets that are there already.
      const after = view.state.sliceDoc(to, to + 2)
      const end = isLink ? to + (after.startsWith(']]') ? 2 : after.startsWith(']') ? 1 : 0) : to
      const insert = isLink ? `[${page.title.replace(/[[\]\\]/g, '\\$&')}](${target})` : target
      const closedText = isLink || after.startsWith(')') ? insert : `${insert})`
      view.dispatch({
        changes: { from: begin, to: end, insert: closedText },
        selection: { anchor: begin + closedText.length },
        userEvent: 'input.complete',
      })
    },
  }
}
