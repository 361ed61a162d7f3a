"""References in PHP projects."""

from __future__ import annotations

from collections.abc import Callable

from cuedeck.code.symbols import FileSymbols

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_names_belong_to_namespaces(project: Project) -> None:
    written = project(
        """
        === src/Cache.php
        <?php
        namespace App\\Store;
        class Cache { // <def Cache>
            public function read() {} // <def read>
        }
        function cached() {} // <def cached>
        === other/Cache.php
        <?php
        namespace Other;
        class Cache { public function read() {} }
        === src/Near.php
        <?php
        namespace App\\Store;
        $a = new Cache(); // <Cache>
        $a->read(); // <read>
        cached(); // <cached>
        === src/Far.php
        <?php
        namespace App;
        use App\\Store;
        use App\\{Store\\Cache as Kept, Missing}; // <Cache>
        use function App\\Store\\cached; // <cached>
        (new \\App\\Store\\Cache())->read(); // <Cache> <read>
        (new Store\\Cache())->read(); // <Cache> <read>
        (new namespace\\Store\\Cache())->read(); // <Cache> <read>
        (new Kept())->read(); // <Cache> <read>
        cached(); // <cached>
        (new Cache())->read();
        (new \\Other\\Cache())->read();
        class Bigger extends \\App\\Store\\Cache implements \\Other\\Cache\\Like { // <Cache>
            function more() { $this->read(); } // <read>
        }
        === plain.php
        <?php
        $a = new Cache();
        """
    )
    written.check("Cache")
    written.check("read")
    written.check("cached")


def test_doc_comments_give_types_and_name_classes(project: Project) -> None:
    written = project(
        """
        === a.php
        <?php
        namespace A;
        class Stream { // <def Stream>
            public function next() {} // <def next>
        }
        class Reader {
            /** @var Stream <Stream> */
            private $stream;
            /** @var array<string, \\A\\Stream> <Stream> */
            private array $all;
            private $kept;

            /**
             * @param Stream|null $given what is read // <Stream>
             * @return Stream[] // <Stream>
             * @throws \\LogicException
             */
            public function open($given, $untold) {
                $given->next(); // <next>
                $untold->next();
                $this->stream->next(); // <next>
                foreach ($this->all as $name => $one) {
                    $one->next(); // <next>
                }
                foreach ($this->open(1, 2) as $each) {
                    $each->next(); // <next>
                }
                /** @var Stream $told */ // <Stream>
                $told = make();
                $told->next(); // <next>
                $this->kept = new Stream(); // <Stream>
                $this->kept->next(); // <next>
                if ($untold instanceof Stream) { // <Stream>
                    $untold->next(); // <next>
                }
            }
        }
        """
    )
    written.check("Stream")
    written.check("next")


def test_a_property_and_a_method_of_one_name_are_two_things(project: Project) -> None:
    written = project(
        """
        === a.php
        <?php
        class A {
            private bool $strict = true; // <def field>
            public function strict(): bool { // <def method>
                return $this->strict; // <field>
            }
            public function check() {
                return $this->strict(); // <method>
            }
        }
        class B extends A {
            public function check() { $this->strict = false; } // <field>
        }
        """
    )
    written.check("field", "strict")
    written.check("method", "strict")


def test_symbols_are_called_by_their_namespace(project: Project) -> None:
    written = project(
        """
        === src/Store/Cache.php
        <?php
        namespace App\\Store;
        class Cache { function read() {} }
        === src/Loose.php
        <?php
        function loose() {}
        === src/Core/Log.cs
        namespace Serilog.Core
        {
            namespace Inner { class Sink { void Emit() { } } }
            class Log { }
        }
        class Bare { }
        === src/Filed.cs
        namespace Serilog;
        class Filed { }
        """
    )
    names = {
        FileSymbols(path, facts.outline, "base").qualified(number)
        for path, facts in written.facts.items()
        for number in range(len(facts.outline.definitions))
    }
    assert names == {
        "App::Store::Cache",
        "App::Store::Cache::read",
        "Loose::loose",
        "Serilog::Core::Inner::Sink",
        "Serilog::Core::Inner::Sink::Emit",
        "Serilog::Core::Log",
        "Core::Log::Bare",
        "Serilog::Filed",
    }


def test_new_self_calls_the_constructor(project: Project) -> None:
    written = project(
        """
        === a.php
        <?php
        class A {
            public function __construct() {} // <def make>
            public static function of() {
                (new static())->used(); // <make> <used>
                return new self(); // <make>
            }
            public function used() {} // <def used>
        }
        class B extends A {
            public static function of() { return new parent(); } // <make>
        }
        A::of()->used(); // <used>
        """
    )
    written.check("make", "__construct")
    written.check("used")


def test_classes_without_a_name(project: Project) -> None:
    written = project(
        """
        === migration.php
        <?php
        abstract class Migration { public function log() {} } // <def log>
        return new class extends Migration {
            private const KIND = 1; // <def KIND>
            private static function guess() { return self::KIND; } // <def guess> <KIND>
            public function up() { self::guess(); $this->log(); } // <guess> <log>
        };
        """
    )
    for mark in ("log", "KIND", "guess"):
        written.check(mark)


def test_arrays_that_name_a_method(project: Project) -> None:
    written = project(
        """
        === app/BookController.php
        <?php
        namespace App;
        class BookController { // <def BookController>
            public function show() {} // <def show>
            public function save() { // <def save>
                return array_map([$this, 'show'], []); // <show>
            }
        }
        === routes/web.php
        <?php
        use App\\BookController; // <BookController>
        Route::get('/books', [BookController::class, 'show']); // <BookController> <show>
        Route::post('/books', array(BookController::class, 'save')); // <BookController> <save>
        $pair = ['show', 'save'];
        """
    )
    for name in ("show", "save", "BookController"):
        written.check(name)


def test_properties_that_a_comment_gives_to_a_class(project: Project) -> None:
    written = project(
        """
        === app/Book.php
        <?php
        namespace App;
        class Book {
            public function url() {} // <def url>
        }
        === app/Page.php
        <?php
        namespace App;
        /**
         * A page.
         * @property int $id
         * @property-read Book $book
         */
        class Page {
            public function book() {} // <def book>
            public function show(Page $other) {
                return $this->book->url() . $other->book->url(); // <url>
            }
            public function all() {
                return $this->book()->get(); // <book>
            }
        }
        """
    )
    written.check("url")
    written.check("book")
