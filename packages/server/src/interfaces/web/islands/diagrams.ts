/** Renders the diagrams of a page. */
import { drawDiagrams } from './parts/diagrams.ts'

await drawDiagrams(document.querySelectorAll<HTMLElement>('.prose .diagram'))
