import type { ProblemDocument } from '../http/problem.ts'
import { html, sentence } from './html.ts'
import { layout } from './layout.ts'

/** A refusal as a page for people. */
export function errorDocument(problem: ProblemDocument): string {
  return layout({
    title: `${problem.title} · Recto`,
    main: html`<div class="page">
<article class="prose">
<p class="status">${problem.status}</p>
<h1>${problem.title}</h1>
<p>${sentence(problem.detail)}</p>
<p><a href="/problems/${problem.code}">What this means</a></p>
</article>
<footer class="about"><p>Request ${problem.requestId}</p></footer>
</div>`,
  })
}
