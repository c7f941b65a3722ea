<?php
// Makes PHPUnit and Pest write their results as JUnit, without a change in the repository: every PHP process of a check runs this file
// first. What a test starts in its turn reports nothing.
(static function (): void {
    $folder = getenv('LOOPDASH_RESULTS');
    $words = $_SERVER['argv'] ?? [];
    if (PHP_SAPI !== 'cli' || !$folder || !preg_match('/^(?:phpunit|pest)(?:\.phar)?$/', basename($words[0] ?? ''))) {
        return;
    }
    putenv('LOOPDASH_RESULTS');
    unset($_ENV['LOOPDASH_RESULTS'], $_SERVER['LOOPDASH_RESULTS']);
    array_splice($words, 1, 0, ['--log-junit', $folder . '/phpunit-' . getmypid() . '.xml']);
    $_SERVER['argv'] = $GLOBALS['argv'] = $words;
    $_SERVER['argc'] = $GLOBALS['argc'] = count($words);
})();
