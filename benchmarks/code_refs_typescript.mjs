// What TypeScript's language service lists as references of the symbols of a truth file:
//
//	NODE_PATH=… node code_refs_typescript.mjs ROOT SYMBOLS.jsonl LIMIT > REFERENCES.jsonl
//
// Rows have the form of SYMBOLS.jsonl; `benchmarks.code_refs_languages --second` reads them beside it.
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'

const ts = createRequire(path.join(process.env.NODE_PATH ?? '.', 'x.js'))('typescript')
const [root, symbols, limit] = [path.resolve(process.argv[2]), process.argv[3], Number(process.argv[4] ?? 500)]
const found = ts.findConfigFile(root, ts.sys.fileExists)
const parsed = found
  ? ts.parseJsonConfigFileContent(ts.readConfigFile(found, ts.sys.readFile).config, ts.sys, root)
  : { options: { allowJs: true, checkJs: true }, fileNames: [] }
const rows = fs.readFileSync(symbols, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
const covered = new Set(rows.flatMap((row) => [row.def.path, ...row.refs.map((ref) => ref.path)]))
const files = [...new Set([...parsed.fileNames, ...[...covered].map((file) => path.join(root, file))])]
const service = ts.createLanguageService({
  getScriptFileNames: () => files,
  getScriptVersion: () => '1',
  getScriptSnapshot: (file) => (fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, 'utf8')) : undefined),
  getCurrentDirectory: () => root,
  getCompilationSettings: () => parsed.options,
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})
const step = Math.max(1, Math.floor(rows.length / limit))
for (let at = 0; at < rows.length; at += step) {
  const row = rows[at]
  const source = service.getProgram().getSourceFile(path.join(root, row.def.path))
  if (!source) continue
  const position = source.getPositionOfLineAndCharacter(row.def.line - 1, row.def.col)
  const refs = []
  for (const entry of service.getReferencesAtPosition(source.fileName, position) ?? []) {
    const file = service.getProgram().getSourceFile(entry.fileName)
    const place = file.getLineAndCharacterOfPosition(entry.textSpan.start)
    const relative = path.relative(root, entry.fileName)
    if (!relative.startsWith('..')) refs.push({ path: relative, line: place.line + 1, col: place.character })
  }
  console.log(JSON.stringify({ ...row, refs }))
}
