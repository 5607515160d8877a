/**
 * The suffixes of known file types: a relative link whose path ends in one refers to a file. Names of products end in
 * others, such as `Node.js`, `ASP.NET` and `v1.2`, so that these are not in the table.
 */
const SUFFIXES = [
  // Images
  'apng avif bmp drawio eps excalidraw fig gif heic heif ico icns jfif jpe jpeg jpg jxl png psd puml sketch svg svgz tif tiff vsdx webp xcf',
  // Sound, video and fonts
  'aac aiff avi flac m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus otf srt ttf vtt wav webm wma wmv woff woff2',
  // Documents
  'adoc asciidoc bib doc docm docx dot dotx dvi eml epub htm html ics ipynb key markdown mdx mobi msg numbers odg odp ods odt pdf pot',
  'potx pps ppsx ppt pptm pptx ps rst rtf tex textile txt vcf vsd xhtml xls xlsb xlsm xlsx',
  // Archives and programs
  '7z apk bin br bz2 cab deb dll dmg exe gz img iso jar msi pkg rar rpm tar tbz tgz txz war whl xz zip zst',
  // Code
  'asm bash bat c cc cfg cjs clj cmd cpp cs css csx cxx dart el erl ex exs f90 fs go gradle groovy h hh hpp hs java jl jsx kt kts less lua',
  'mjs mk ml mli nim nix patch php pl proto ps1 py pyi pyx rb rs sass scala scm scss sh sol sql svelte swift tcl tf tfvars toml ts tsx vb',
  'vbs vue wasm zsh',
  // Data
  'atom avro bak conf crt csv dat db diff env gpx graphql ini json json5 jsonc jsonl kml log lock mat ndjson npy parquet pem plist',
  'properties rdf rss sqlite toc tsv wsdl xml xsd xsl xslt yaml yml',
].flatMap((line) => line.split(' '))

/** As a regular expression: a name before the suffix is needed, so that `.env` is none. */
export const FILE_SUFFIX = `[^/][.](?:${SUFFIXES.join('|')})$`
const pattern = new RegExp(FILE_SUFFIX, 'i')

/** Whether a path ends in the suffix of a known file type. */
export function hasFileSuffix(path: string): boolean {
  return pattern.test(path)
}
