/** Sets the formulas of a page before it is first shown, so that nothing moves afterwards. */
import { drawMaths } from './parts/maths.ts'

await drawMaths(document.querySelectorAll<HTMLElement>('.prose .math'))
