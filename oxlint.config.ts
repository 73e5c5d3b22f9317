import { defineConfig, type DummyRule } from 'oxlint'
import manifest from './package.json' with { type: 'json' }

/** What one layer may import. */
interface Layer {
  /** Other folders of src. */
  readonly layers: readonly string[]
  /** Only these packages, and nothing of Node's; any by default. */
  readonly packages?: readonly string[]
  /** Whether it imports the list of operations, which only composing layers may. */
  readonly operations?: true
}

const packagesKnown = Object.keys({
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.devDependencies,
})

const service = ['contract', 'platform', 'db', 'engines'] as const

/** The layer map: each folder of src and the folders it may import. Imports point downward only. */
export const layers: Readonly<Record<string, Layer>> = {
  contract: { layers: [], packages: ['zod'] },
  platform: { layers: [] },
  threads: { layers: ['contract', 'platform'] },
  json: { layers: ['contract', 'platform', 'threads'] },
  media: { layers: ['contract'], packages: ['zod', 'fft.js', 'iconv-lite', 'parse5'] },
  // What a browser runs: of contract types alone.
  page: { layers: [], packages: [] },
  client: { layers: ['contract', 'platform'] },
  db: { layers: ['contract', 'platform'] },
  engines: { layers: ['contract', 'media', 'platform'] },
  files: { layers: [...service, 'threads'] },
  library: { layers: [...service, 'threads', 'media', 'files'] },
  queue: { layers: service },
  accounts: { layers: service },
  tasks: { layers: [...service, 'threads', 'media', 'files', 'library', 'queue', 'accounts'] },
  http: {
    layers: [...service, 'threads', 'json', 'media', 'files', 'library', 'queue', 'accounts', 'tasks'],
  },
  daemon: { layers: ['contract', 'client', 'platform'] },
  mcp: { layers: ['contract', 'json', 'client', 'platform', 'daemon'] },
  doctor: { layers: ['contract', 'client', 'platform', 'daemon', 'engines'] },
  config: { layers: ['contract', 'platform', 'engines', 'daemon', 'mcp'] },
  service: {
    layers: [
      ...[...service, 'media', 'files', 'library', 'queue', 'accounts', 'tasks', 'http', 'daemon'],
      'config',
    ],
    operations: true,
  },
  commands: {
    layers: [...service, 'library', 'accounts', 'client', 'daemon', 'doctor', 'mcp', 'config', 'service'],
    operations: true,
  },
  gen: {
    layers: ['contract', 'media', 'platform', 'engines', 'mcp', 'config', 'http', 'daemon'],
    operations: true,
  },
}

/** The parts of an operation's folder; a later one replaces an earlier one's rule, so the strictest is last. */
export const operationParts: Readonly<Record<string, Layer>> = {
  'tools/*/*.ts': { layers: ['contract', 'media', 'engines', 'platform'] },
  'tools/*/plan.ts': { layers: ['contract', 'media'], packages: ['zod'] },
  'tools/*/requirements.ts': { layers: ['contract', 'media'], packages: ['zod'] },
  'tools/*/contract.ts': { layers: ['contract'], packages: ['zod'] },
}

/** Forbids folders of src that are not listed, the entry point, the list of operations, and other packages. */
function importsOnly({ layers: allowed, packages, operations }: Layer) {
  const forbidden = Object.keys(layers).filter((layer) => !allowed.includes(layer))
  const patterns = [
    {
      regex: String.raw`^(\.\./)+(src/)?(${forbidden.join('|')})/`,
      message: 'Imports point downward only: see the layer map in oxlint.config.ts.',
    },
    {
      regex: String.raw`^(\.\./)+(src/)?main\.ts$`,
      message: 'Nothing imports src/main.ts, the entry point.',
    },
  ]
  if (!operations) {
    patterns.push({
      regex: String.raw`^(\.\./)+tools/`,
      message: 'Only src/commands, src/service and src/gen import the list of operations.',
    })
  }
  if (packages) {
    const others = packagesKnown.filter((name) => !packages.includes(name))
    patterns.push({
      regex: `^(node:|(${others.join('|')})(/|$))`,
      message: `Of packages, this layer imports only ${packages.join(', ')}.`,
    })
  }
  return patterns
}

function forbid(patterns: ReturnType<typeof importsOnly>) {
  return { 'no-restricted-imports': ['error', { patterns }] satisfies DummyRule }
}

const otherOperation = {
  regex: String.raw`^\.\./[\w-]`,
  message: 'No operation imports another: what two share lives in src/engines or src/media.',
}

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node', 'promise', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist', 'node_modules', '.node'],
  rules: {
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'max-lines': ['error', { max: 300 }],
    'max-lines-per-function': ['error', { max: 60 }],
    'max-params': ['error', { max: 3 }],
    'no-console': 'error',
    'node/no-process-env': 'error',
    eqeqeq: 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-misused-promises': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/consistent-type-imports': 'error',
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'unicorn/prefer-node-protocol': 'error',
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    // Narrowing what came over IPC, SQL or JSON is checked by zod or by the query's type, not by this.
    'typescript/no-unsafe-type-assertion': 'off',
    // Our objects are closures: their methods do not use `this`.
    'typescript/unbound-method': 'off',
    // Fastify awaits its handlers; the rule is about Express.
    'oxc/no-async-endpoint-handlers': 'off',
    // `...['-map', '0:v']` keeps an option and its value together in a list of arguments.
    'unicorn/no-useless-spread': 'off',
    // Where a small function is defined is the reader's matter; `fc` is how fast-check is written.
    'unicorn/consistent-function-scoping': 'off',
    'import/no-named-as-default-member': 'off',
    // Both mistake what is meant: a string by its code points, a flag that a callback sets.
    'typescript/no-misused-spread': 'off',
    'no-unmodified-loop-condition': 'off',
    // Suites of laws are functions, called in one expression.
    'vitest/valid-describe-callback': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    'vitest/no-conditional-tests': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'check*', 'fc.assert'] }],
  },
  overrides: [
    ...Object.entries(layers).map(([layer, map]) => ({
      files: [`src/${layer}/**/*.{ts,js}`],
      rules: forbid(importsOnly(map)),
    })),
    ...Object.entries(operationParts).map(([files, map]) => ({
      files: [files],
      rules: forbid([...importsOnly(map), otherOperation]),
    })),
    { files: ['src/config/config.ts'], rules: { 'node/no-process-env': 'off' } },
    { files: ['*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    {
      files: ['scripts/**', 'bin/**', 'bench/**'],
      rules: { 'node/no-process-env': 'off', 'no-console': 'off' },
    },
    {
      files: ['**/*.test.ts', 'test/**'],
      rules: {
        'no-restricted-imports': 'off',
        'max-lines-per-function': 'off',
        'max-params': 'off',
        'node/no-process-env': 'off',
      },
    },
  ],
})
