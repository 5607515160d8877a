/** Renders formulas (`.math`) and diagrams (`.diagram`); each library is loaded only if it is needed. */
export async function enrich(elements: readonly HTMLElement[]): Promise<void> {
  const drawings: Promise<void>[] = []
  const maths = elements.filter((element) => element.matches('.math'))
  if (maths.length > 0) drawings.push(import('./maths.ts').then(({ drawMaths }) => drawMaths(maths)))
  const diagrams = elements.filter((element) => element.matches('.diagram'))
  if (diagrams.length > 0) drawings.push(import('./diagrams.ts').then(({ drawDiagrams }) => drawDiagrams(diagrams)))
  await Promise.all(drawings)
}
