/** Reporter for vitest: lists each skipped test with its reason, and each failure, also of hooks and between tests. */
// oxlint-disable-next-line import/no-default-export -- vitest loads reporters this way
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    print(
      'Skipped tests:',
      listTests(modules, 'skipped', ({ note }) => note ?? 'the title says why'),
    )
    print('Failed tests:', [
      ...listTests(modules, 'failed', ({ errors }) => firstLine(errors)),
      ...listBrokenSuites(modules),
      ...unhandledErrors.map((error) => describeUnhandled(error, modules)),
    ])
  }
}

function listTests(modules, state, explain) {
  return modules.flatMap((module) =>
    [...module.children.allTests(state)].map(
      (test) => `${module.relativeModuleId}: ${test.fullName} (${explain(test.result())})`,
    ),
  )
}

/** A module that cannot be loaded has no tests, and a hook that fails after its tests fails none of them. */
function listBrokenSuites(modules) {
  return modules.flatMap((module) =>
    [module, ...module.children.allSuites()]
      .filter((suite) => suite.errors().length > 0)
      .map((suite) => {
        const name = suite === module ? '' : `: ${suite.fullName}`
        return `${module.relativeModuleId}${name} (${firstLine(suite.errors())})`
      }),
  )
}

/** An unhandled error, as of a promise that nothing awaits, fails the run and no test. */
function describeUnhandled(error, modules) {
  const module = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH)
  const test = error.VITEST_TEST_NAME
  const [frame = 'no stack'] = String(error.stack).match(/^\s+at .+/gm) ?? []
  return [
    `${module?.relativeModuleId ?? 'no test file'}: unhandled error`,
    ...(test === undefined ? [] : [`during or after "${test}"`]),
    `(${firstLine([error])}, ${frame.trim()})`,
  ].join(' ')
}

function firstLine([error] = []) {
  return String(error?.message ?? 'no message').split('\n', 1)[0]
}

function print(title, lines) {
  if (lines.length > 0) console.log(['', title, ...lines.map((line) => `  ${line}`)].join('\n'))
}
