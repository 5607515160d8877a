/** Renders formulas and diagrams; each library is loaded only if it is needed. */
export async function enrich(within: HTMLElement): Promise<void> {
  const drawn: Promise<void>[] = []
  const maths = within.querySelectorAll<HTMLElement>('.math')
  if (maths.length > 0) drawn.push(import('./maths.ts').then(({ drawMaths }) => drawMaths(maths)))
  const diagrams = within.querySelectorAll<HTMLElement>('.diagram')
  if (diagrams.length > 0)
    drawn.push(import('./diagrams.ts').then(({ drawDiagrams }) => drawDiagrams(diagrams)))
  await Promise.all(drawn)
}
