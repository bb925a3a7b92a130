from itertools import islice

from menagerie.bots.luck import numbers


def test_numbers_are_those_of_the_published_generator():
    assert list(islice(numbers(1234567), 5)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_one_seed_gives_one_run_and_another_seed_another():
    assert list(islice(numbers(7), 9)) == list(islice(numbers(7), 9))
    assert list(islice(numbers(7), 9)) != list(islice(numbers(8), 9))
