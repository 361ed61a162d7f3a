// scip-typescript with three omissions mended, to tell them from mistakes of ours:
//
//	node scip_typescript_mended.cjs PACKAGE index --output index.scip
//
// PACKAGE is the folder of an installed @sourcegraph/scip-typescript, which stays as it is. It looks for the key of
// an object literal in a union as a whole, where `Options | undefined` has no members: here each type of the union
// is looked into, but for those that a constant in the object excludes. `{ name }` is a use of the variable as well
// as of the key. A name that leads through an export specifier (`Dialog.Root`) leads to what is exported.
const path = require('node:path')
const { createRequire } = require('node:module')

const tool = path.resolve(process.argv[2])
const ts = createRequire(path.join(tool, 'package.json'))('typescript')
const { FileIndexer } = require(path.join(tool, 'dist/src/FileIndexer.js'))
const { main } = require(path.join(tool, 'dist/src/main.js'))

function keyOf({ name }) {
  const written = name && ts.isComputedPropertyName(name) ? name.expression : name
  const isConstant = written && (ts.isIdentifier(written) ? written === name : ts.isStringLiteralLike(written))
  return isConstant ? written.text : undefined
}

FileIndexer.prototype.getDeclarationsForPropertyAssignment = function (node) {
  const element = node.parent
  if (!ts.isObjectLiteralElement(element) || element.name !== node) return undefined
  const object = element.parent
  const key = keyOf(element)
  const expected = key === undefined ? undefined : this.checker.getContextualType(object)
  if (!expected) return undefined
  const types = expected.isUnion() ? expected.types : [expected]
  const fitting = types.filter((type) => !this.checker.isTypeInvalidDueToUnionDiscriminant(type, object))
  const members = (fitting.length ? fitting : types).flatMap((type) => type.getProperty(key)?.declarations ?? [])
  if (!members.length) return undefined
  const isBoth = ts.isShorthandPropertyAssignment(element)
  const value = isBoth ? this.checker.getShorthandAssignmentValueSymbol(element) : undefined
  return [...new Set([...members, ...(value?.declarations ?? [])])]
}

const symbolAt = FileIndexer.prototype.getTSSymbolAtLocation
FileIndexer.prototype.getTSSymbolAtLocation = function (node) {
  const symbol = symbolAt.call(this, node)
  if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias)) return symbol
  const aliased = this.checker.getAliasedSymbol(symbol)
  return aliased.declarations ? aliased : symbol
}

process.argv.splice(1, 2, path.join(tool, 'dist/src/main.js'))
main()
