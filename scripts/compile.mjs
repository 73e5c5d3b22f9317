// `node scripts/compile.mjs <folder>`: writes each module that an entry reaches to its own path, so that relative
// locations keep their meaning. Names are kept for stack traces; white space and comments are removed, an
// eighth of the package. `npm run check` checks types.
import { globSync } from 'node:fs'
import { rolldown } from 'rolldown'

/** Modules that are started by their own path: the program, its threads, and the child process of sherpa. */
const entries = ['src/main.ts', '{src,tools}/**/*-thread.ts', 'src/engines/speech/sherpa/child.ts']

const [, , folder] = process.argv
const files = globSync(entries).map((path) => path.replaceAll('\\', '/'))
const modules = await rolldown({
  platform: 'node',
  input: Object.fromEntries(files.map((path) => [path.replace(/\.ts$/, ''), path])),
  // Packages and parts of Node.
  external: /^[^./]/,
})
await modules.write({
  dir: folder,
  preserveModules: true,
  preserveModulesRoot: '.',
  entryFileNames: '[name].js',
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
})
await modules.close()
