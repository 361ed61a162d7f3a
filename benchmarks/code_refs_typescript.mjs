// What TypeScript's compiler takes every name of a project for, as rows for benchmarks.code_refs_languages:
//
//	NODE_PATH=… node code_refs_typescript.mjs ROOT > TRUTH.jsonl
//
// Uses are those that "find all references" lists, without the uses of overrides: second names given by
// imports and exports count, keys of objects count for the type that is expected there.
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'

const ts = createRequire(path.join(process.env.NODE_PATH ?? '.', 'x.js'))('typescript')
const root = path.resolve(process.argv[2])
const isOurs = (file) => file.startsWith(root + path.sep) && !file.includes('/node_modules/')
const found = ts.findConfigFile(root, ts.sys.fileExists)
const options = found
  ? ts.parseJsonConfigFileContent(ts.readConfigFile(found, ts.sys.readFile).config, ts.sys, path.dirname(found)).options
  : { target: ts.ScriptTarget.ESNext }
const files = ts.sys.readDirectory(root, ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'], ['**/node_modules'])
const program = ts.createProgram(files, {
  ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, noEmit: true, allowJs: true,
  jsx: options.jsx ?? ts.JsxEmit.Preserve, paths: { ...workspace(), ...options.paths },
})
const checker = program.getTypeChecker()

/** Packages of the project by their names, whose manifests mostly point at files that a build would make. */
function workspace() {
  const paths = {}
  for (const manifest of ts.sys.readDirectory(root, ['package.json'], ['**/node_modules'])) {
    const folder = path.dirname(manifest)
    const name = ts.readConfigFile(manifest, ts.sys.readFile).config?.name
    const entry = ['src/index.ts', 'src/index.tsx', 'index.ts'].map((file) => path.join(folder, file)).find(fs.existsSync)
    if (!name || !entry) continue
    paths[name] = [entry]
    paths[`${name}/*`] = [path.join(path.dirname(entry), '*')]
  }
  return paths
}

/** What a name means; several things where a union or an intersection is looked into. */
function meanings(node) {
  const parent = node.parent
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) {
    const own = ts.isExportSpecifier(parent) && !parent.parent.parent.moduleSpecifier
    return [own ? checker.getExportSpecifierLocalTargetSymbol(parent) : checker.getSymbolAtLocation(node)]
  }
  const element = ts.getContainingObjectLiteralElement(node)
  if (element && element.name === node) {
    const type = checker.getContextualType(element.parent)
    const expected = type ? ts.getPropertySymbolsFromContextualType(element, checker, type, false) : []
    const value = ts.isShorthandPropertyAssignment(element) ? [checker.getShorthandAssignmentValueSymbol(element)] : []
    const taken = ts.isArrayLiteralOrObjectLiteralDestructuringPattern(element.parent)
      ? [checker.getPropertySymbolOfDestructuringAssignment(node)] : []
    return [...expected, ...value, ...taken, checker.getSymbolAtLocation(node)]
  }
  const symbol = checker.getSymbolAtLocation(node)
  if (symbol && ts.isBindingElement(parent) && parent.name === node && !parent.propertyName) {
    const isMember = ts.isObjectBindingPattern(parent.parent) && !parent.dotDotDotToken
    return isMember ? [symbol, ts.getPropertySymbolFromBindingElement(checker, parent)] : [symbol]
  }
  return [symbol]
}

/** Symbols of the project behind one symbol, by the place of their first declaration. */
function declared(symbol) {
  while (symbol && symbol.flags & ts.SymbolFlags.Alias) {
    const next = checker.getAliasedSymbol(symbol)
    if (next === symbol) break
    symbol = next
  }
  return symbol ? checker.getRootSymbols(symbol).filter((each) => each.declarations?.length) : []
}

function place(node) {
  const source = node.getSourceFile()
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source))
  return { path: path.relative(root, source.fileName), line: line + 1, col: character }
}

/** Whether a declaration is one that others may refer to: no parameter, variable of a function, type parameter or name that only its own body sees. */
function isPublic(node) {
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent)
  if (ts.isTypeParameterDeclaration(node) || ts.isBindingElement(node) || !node.name) return false
  if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isJsxAttribute(node)) return false
  if (ts.isMethodDeclaration(node) && ts.isObjectLiteralExpression(node.parent)) return false
  if (ts.isFunctionExpression(node) || ts.isClassExpression(node)) return false
  if (ts.isClassElement(node) || ts.isTypeElement(node) || ts.isEnumMember(node)) return ts.isIdentifier(node.name)
  for (let at = node.parent; at; at = at.parent) if (ts.isFunctionLike(at) || ts.isBlock(at)) return false
  return ts.isIdentifier(node.name)
}

const rows = new Map()
function visit(node) {
  const isLooked = ts.isLiteralTypeNode(node.parent ?? node) && ts.isIndexedAccessTypeNode(node.parent.parent)
  if (ts.isIdentifier(node) || (ts.isStringLiteral(node) && (isLooked || ts.getContainingObjectLiteralElement(node)))) {
    for (const symbol of new Set(meanings(node).flatMap(declared))) {
      const [first] = symbol.declarations
      if (!isOurs(first.getSourceFile().fileName) || !isPublic(first)) continue
      if (!rows.has(first)) rows.set(first, { name: first.name.text, kind: ts.SyntaxKind[first.kind], def: place(first.name), refs: [] })
      if (!symbol.declarations.some((declaration) => declaration.name === node)) rows.get(first).refs.push(place(node))
    }
  }
  ts.forEachChild(node, visit)
}
for (const source of program.getSourceFiles()) if (isOurs(source.fileName)) visit(source)
for (const row of rows.values()) console.log(JSON.stringify({ ...row, n_refs: row.refs.length }))
