export async function drawDiagrams(_elements: Iterable<HTMLElement>): Promise<void> {}
