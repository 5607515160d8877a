/** Renders the formulas of a page before the first paint, to avoid layout shifts. */
import { drawMaths } from './parts/maths.ts'

await drawMaths(document.querySelectorAll<HTMLElement>('.prose .math'))
