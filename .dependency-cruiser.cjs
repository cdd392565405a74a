/** Who may know whom. `npx pnpm check` fails on the first arrow that points the wrong way. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that import each other cannot be understood one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'services-meet-in-kafka-and-postgres',
      comment: 'A service never imports another: it would have to be deployed with it.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'packages-know-no-service',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^services/' },
    },
    {
      name: 'shared-knows-no-business',
      comment: 'packages/shared holds mechanisms; nothing in it may depend on another package of ours.',
      severity: 'error',
      from: { path: '^packages/shared/', pathNot: '[.]test[.]ts$' },
      to: { path: '^(packages|services)/', pathNot: '^packages/shared/' },
    },
    {
      name: 'local-stack-is-for-development',
      comment: 'Engines are started by tests, demo, bench and chaos, never by what runs in production.',
      severity: 'error',
      from: { path: '^(packages|services)/', pathNot: '^packages/local-stack/|[.]test[.]ts$|/testing/' },
      to: { path: '^packages/local-stack/' },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'What a package imports stands in its package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
}
