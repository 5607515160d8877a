import { analysePage, type PageFacts, type RenderedPage, renderPage } from './page.ts'
export interface MarkdownEngine extends AsyncDisposable {
  analyse(body: string): Promise<PageFacts>
  render(body: string): Promise<RenderedPage>
}
export function startMarkdown(_: object): MarkdownEngine {
  return {
    analyse: async (b) => analysePage(b),
    render: async (b) => renderPage(b),
    [Symbol.asyncDispose]: async () => {},
  }
}
